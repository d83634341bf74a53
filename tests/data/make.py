"""Writes the files of this folder: npy and npz by NumPy, safetensors by hand, from the format's description. Every array holds 0, 1, 2 ... (bools: by
turns), so that the tests know the values."""
import io, json, pathlib, struct, zipfile
import numpy as np

here = pathlib.Path(__file__).parent
codes = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()


def numbers(shape, dtype):
    x = np.arange(int(np.prod(shape)))
    return (x % 2 if dtype == "?" else x).astype(dtype).reshape(shape)


def npy(name, array, version=(1, 0)):
    with open(here / name, "wb") as f:
        np.lib.format.write_array(f, array, version=version, allow_pickle=False)


npy("version1.npy", numbers((2, 3), "<f4"))
npy("version2.npy", numbers((2, 3), "<f4"), (2, 0))
npy("version3.npy", numbers((2, 3), "<f4"), (3, 0))
npy("fortran.npy", np.asfortranarray(numbers((2, 3, 4), "<i4")))
npy("big.npy", numbers((2, 3), ">f8"))
npy("big_complex.npy", numbers((5,), ">c8"))
npy("big_fortran.npy", np.asfortranarray(numbers((3, 2), ">i2")))
npy("zero_d.npy", numbers((), "<i8"))
npy("empty.npy", numbers((0, 3), "<f4"))
npy("strings.npy", np.array(["a", "b"]))
npy("raw.npy", np.zeros(3, "V2"))
npy("records.npy", np.zeros(3, [("a", "f4")]))
npy_objects = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"
(here / "objects.npy").write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(npy_objects)) + npy_objects + b"\x80\x04N.")

every = {"x_" + np.dtype(c).name: numbers((3, 5), c) for c in codes}
np.savez(here / "every.npz", **every)
np.savez_compressed(here / "every_deflated.npz", **every)
np.savez_compressed(here / "long.npz", **{"enc.w": np.tile(numbers((1000,), "<f4"), 8), "enc.b": numbers((20000,), "<i4")})
np.savez(here / "none.npz")

# A member whose sizes stand behind its data, as programs write that cannot go back in their output.
class Stream(io.RawIOBase):
    def __init__(self, to): self.to = to
    def writable(self): return True
    def write(self, data): return self.to.write(data)

buffer = io.BytesIO()
np.lib.format.write_array(buffer, numbers((4,), "<f8"))
with open(here / "streamed.npz", "wb") as f, zipfile.ZipFile(Stream(f), "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("x.npy", buffer.getvalue())


def safetensors(name, arrays, notes=None):
    header, data = {"__metadata__": notes} if notes else {}, b""
    for key, (dtype, shape, raw) in arrays.items():
        header[key] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, ensure_ascii=False).encode()
    (here / name).write_bytes(struct.pack("<Q", len(text)) + text + data)


def tensor(dtype, shape, code):
    return dtype, list(shape), numbers(shape, code).tobytes()


every = {f"every.{d.lower()}": tensor(d, (3, 5), c) for d, c in zip("BOOL I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 C64".split(), codes)}
every["every.bf16"] = ("BF16", [2], struct.pack("<HH", 0, 0x3F80))
every["zero_d"] = tensor("F32", (), "<f4")
every["empty"] = tensor("I64", (2, 0), "<i8")
safetensors("every.safetensors", every, {"format": "pt", "über \"q\"": "line\n\u2603 \U0001F600"})
