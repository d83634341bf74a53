/* SPDX-License-Identifier: Apache-2.0 */
/* layers_noise.c: layers that add noise while training, and are x, or nearly, otherwise; Rescaling and Masking. Each is an op of ops/table/features.def
 * with its numbers. */
#include "nn/layers.h"
#include "core/state.h"
#include "core/dtype.h"

typedef struct {
    double a, b;
} numbers;

#define TAKE(name, all) vn__take_numbers(&vn__family_layer, name, (int)(sizeof(all) / sizeof *(all)), all)
#define CLASS(var, text, fn) static const vn_module_class var = {.name = text, .self_size = sizeof(numbers), .forward = fn}

/* A layer of up to two numbers, which the row's ranges check. */
static vn_module *make(const vn_module_class *class, const char *name, int n, double a, double b)
{
    double all[] = {a, b};
    if (!vn__take_numbers(&vn__family_layer, name, n, all)) return NULL;
    return vn_module_new(class, &(numbers){all[0], all[1]}, NULL);
}

/* ---- noise ---- */

static vn_array *gaussian_noise_forward(vn_module *m, vn_array *x)
{
    return vn_module_training(m) ? vn_gaussian_noise(x, VN_NONE, ((const numbers *)vn_module_self(m))->a) : x;
}
CLASS(gaussian_noise_class, "GaussianNoise", gaussian_noise_forward);
vn_module *vn_nn_gaussian_noise(double std)
{
    return make(&gaussian_noise_class, "gaussian_noise", 1, std, 0);
}

static vn_array *gaussian_dropout_forward(vn_module *m, vn_array *x)
{
    return vn_module_training(m) ? vn_gaussian_dropout(x, VN_NONE, ((const numbers *)vn_module_self(m))->a) : x;
}
CLASS(gaussian_dropout_class, "GaussianDropout", gaussian_dropout_forward);
vn_module *vn_nn_gaussian_dropout(double prob)
{
    return make(&gaussian_dropout_class, "gaussian_dropout", 1, prob, 0);
}

static vn_array *alpha_dropout_forward(vn_module *m, vn_array *x)
{
    return vn_module_training(m) ? vn_alpha_dropout(x, VN_NONE, ((const numbers *)vn_module_self(m))->a) : x;
}
CLASS(alpha_dropout_class, "AlphaDropout", alpha_dropout_forward);
vn_module *vn_nn_alpha_dropout(double prob)
{
    return make(&alpha_dropout_class, "alpha_dropout", 1, prob, 0);
}

static vn_array *rrelu_forward(vn_module *m, vn_array *x)
{
    const numbers *slopes = vn_module_self(m);
    return vn_module_training(m) ? vn_rrelu(x, VN_NONE, slopes->a, slopes->b) : vn_leaky_relu(x, (slopes->a + slopes->b) / 2);
}
CLASS(rrelu_class, "RReLU", rrelu_forward);
vn_module *vn_nn_rrelu(double low, double high)
{
    double all[] = {low, high};
    if (!TAKE("rrelu", all)) return NULL;
    if (!(all[0] <= all[1])) return vn__fail(VN_E_ARG, "nn_rrelu: the slope low %g is above high %g", all[0], all[1]), NULL;
    return vn_module_new(&rrelu_class, &(numbers){all[0], all[1]}, NULL);
}

/* ---- features ---- */

static vn_array *rescaling_forward(vn_module *m, vn_array *x)
{
    const numbers *n = vn_module_self(m);
    return vn_rescale(x, n->a, n->b);
}
CLASS(rescaling_class, "Rescaling", rescaling_forward);
vn_module *vn_nn_rescaling(double scale, double offset)
{
    return make(&rescaling_class, "rescaling", 2, scale, offset);
}

static vn_array *masking_forward(vn_module *m, vn_array *x)
{
    return vn_masked_steps(x, ((const numbers *)vn_module_self(m))->a);
}
CLASS(masking_class, "Masking", masking_forward);
vn_module *vn_nn_masking(double value)
{
    return make(&masking_class, "masking", 1, value, 0);
}
