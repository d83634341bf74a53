"""The network of examples/xception.c in Keras: python xception_keras.py EPOCHS SEED. Prints its accuracy in percent."""
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
import keras
import numpy as np
from keras import layers

epochs, seed = int(sys.argv[1]), int(sys.argv[2])
keras.utils.set_random_seed(seed)
table = np.loadtxt("data/digits.csv", delimiter=",", skiprows=1, dtype="float32")
x = np.array(keras.ops.image.resize(table[:, :64].reshape(-1, 8, 8, 1) / 16, (16, 16), interpolation="bilinear"))
y = table[:, 64].astype("int64")
(train_x, test_x), (train_y, test_y) = (np.split(v, [len(table) - 360]) for v in (x, y))


def norm():
    return layers.BatchNormalization(momentum=0.9, epsilon=1e-5)


def convolution(z, out, stride):
    return layers.ReLU()(norm()(layers.Conv2D(out, 3, strides=stride, padding="same")(z)))


def separable(z, out):
    return norm()(layers.SeparableConv2D(out, 3, padding="same")(z))


def block(z, out):
    main = separable(layers.ReLU()(separable(layers.ReLU()(z), out)), out)
    main = layers.MaxPooling2D(3, strides=2, padding="same")(main)
    return layers.add([main, layers.Conv2D(out, 1, strides=2, padding="same")(z)])


given = keras.Input((16, 16, 1))
z = layers.RandomRotation(0.05, fill_mode="constant")(given)
z = layers.RandomTranslation(0.1, 0.1, fill_mode="constant")(z)
z = convolution(convolution(z, 16, 2), 32, 1)
z = block(block(z, 64), 128)
z = layers.GlobalAveragePooling2D()(layers.ReLU()(separable(z, 128)))
net = keras.Model(given, layers.Dense(10)(layers.Dropout(0.25)(z)))
net.compile(keras.optimizers.Adam(1e-3, epsilon=1e-8), keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
net.fit(train_x, train_y, batch_size=32, epochs=epochs, verbose=0)
print(f"{100 * net.evaluate(test_x, test_y, batch_size=360, verbose=0)[1]:.2f}")
