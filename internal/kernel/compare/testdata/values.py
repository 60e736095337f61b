"""Prints a line for values_test.go for each narrow type: the SHA-256 of the values of all bit patterns
as little-endian float32, every NaN as 0x7fc00000. Needs numpy and ml_dtypes."""

import hashlib

import ml_dtypes
import numpy as np

for name, dtype, bits in (
    ("f16", np.float16, np.uint16),
    ("bf16", ml_dtypes.bfloat16, np.uint16),
    ("f8e4m3", ml_dtypes.float8_e4m3fn, np.uint8),
    ("f8e5m2", ml_dtypes.float8_e5m2, np.uint8),
):
    raw = np.arange(np.iinfo(bits).max + 1, dtype=np.uint32).astype(bits)
    values = raw.view(dtype).astype(np.float32)
    out = values.view(np.uint32).copy()
    out[np.isnan(values)] = 0x7FC00000
    print(f'\t"{name}": "{hashlib.sha256(out.astype("<u4").tobytes()).hexdigest()}",')
