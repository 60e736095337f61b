"""Makes the files of tensors beside this script, and values.json: what the formats' own libraries say
about them. Needs numpy, ml_dtypes, safetensors and gguf. The statistics are exact fractions, rounded once."""

import json
import math
import os
from fractions import Fraction

import gguf
import ml_dtypes
import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

os.chdir(os.path.dirname(os.path.abspath(__file__)))
random = np.random.default_rng(1)
wanted = {}


def figures(a):
    flat = [float(v) for v in a.astype(np.float64 if a.dtype.kind not in "iub" else np.int64).ravel(order="A")]
    numbers = [v for v in flat if not math.isnan(v)]
    infinite = sum(math.isinf(v) for v in numbers)
    exact = sum((Fraction(v) for v in numbers if not math.isinf(v)), Fraction(0))
    return {
        "shape": list(a.shape),
        "n": len(flat),
        "nan": len(flat) - len(numbers),
        "inf": infinite,
        "min": min(numbers) if not infinite else None,
        "max": max(numbers) if not infinite else None,
        "sum": float(exact) if not infinite else None,
        "mean": float(exact / len(numbers)) if not infinite else None,
        "nan_at": [[int(i) for i in at] for at in np.argwhere(np.isnan(a.astype(np.float64)))],
    }


def weights(shape, dtype):
    a = (random.standard_normal(shape) / 8).astype(dtype)
    a[(-1,) * len(shape)] = np.nan
    return a


for name, array in {
    "c": np.arange(12, dtype="<i4").reshape(3, 4) - 5,
    "fortran": np.asfortranarray(weights((3, 4), np.float32)),
    "big": weights((2, 3), np.float16).astype(">f2"),
    "scalar": np.array(2.5, "<f8"),
    "long": weights((7,), np.float16),
}.items():
    np.save(name + ".npy", array)
    wanted[name + ".npy"] = {"": figures(np.load(name + ".npy"))}
for version, name in ((2, 0), "two"), ((3, 0), "three"):
    with open(name + ".npy", "wb") as f:
        np.lib.format.write_array(f, np.arange(6, dtype="u2").reshape(2, 3), version=version)
    wanted[name + ".npy"] = {"": figures(np.load(name + ".npy"))}

arrays = {"w": weights((4, 5), np.float32), "steps": np.arange(9, dtype="<i8")}
np.savez("stored.npz", **arrays)
np.savez_compressed("deflated.npz", **arrays)
for name in "stored.npz", "deflated.npz":
    with np.load(name) as f:
        wanted[name] = {key: figures(f[key]) for key in f}

arrays = {
    "embed": weights((6, 8), ml_dtypes.bfloat16),
    "half": weights((3, 2, 4), np.float16),
    "e4m3": weights((5, 5), ml_dtypes.float8_e4m3fn),
    "e5m2": weights((5, 5), ml_dtypes.float8_e5m2),
    "single": weights((4,), np.float32),
    "double": weights((2, 2), np.float64),
    "mask": np.array([True, False, True]),
    "ids": np.arange(5, dtype=np.int64),
}
arrays["half"][0, 1, 2] = np.inf
save_file(arrays, "mixed.safetensors", metadata={"format": "np"})
with safe_open("mixed.safetensors", "numpy") as f:
    # numpy has no names for the narrow types, so these values are the ones that were saved
    wanted["mixed.safetensors"] = {key: figures(arrays[key]) for key in f.keys()}

w = gguf.GGUFWriter("small.gguf", "llama")
w.add_string("note", "x" * 100)
w.add_array("tokenizer.ggml.tokens", ["a", "bc", ""] * 50)
w.add_array("scores", [0.5] * 7)
arrays = {"a": weights((3, 5), np.float32), "b": weights((4, 8), np.float16)}
for key, array in arrays.items():
    w.add_tensor(key, array)
bf16 = weights((2, 3), ml_dtypes.bfloat16)
w.add_tensor("c", bf16.view(np.uint8).copy(), raw_shape=[2, 6], raw_dtype=gguf.GGMLQuantizationType.BF16)
w.add_tensor("packed", gguf.quants.quantize(random.standard_normal((2, 32)).astype(np.float32), gguf.GGMLQuantizationType.Q8_0),
             raw_dtype=gguf.GGMLQuantizationType.Q8_0)
w.write_header_to_file()
w.write_kv_data_to_file()
w.write_tensors_to_file()
w.close()
wanted["small.gguf"] = {}
for t in gguf.GGUFReader("small.gguf").tensors:
    shape = [int(n) for n in t.shape[::-1]]
    if t.name == "packed":
        wanted["small.gguf"][t.name] = {"shape": shape, "stored": t.tensor_type.name, "offset": int(t.data_offset)}
        continue
    array = t.data if t.name != "c" else np.asarray(t.data).view(ml_dtypes.bfloat16)
    wanted["small.gguf"][t.name] = {**figures(np.asarray(array).reshape(shape)), "offset": int(t.data_offset)}

with open("values.json", "w") as f:
    json.dump(wanted, f, indent=1)
    f.write("\n")
