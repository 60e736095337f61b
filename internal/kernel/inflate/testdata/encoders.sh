#!/usr/bin/env bash
# Writes testdata/encoders: one content, compressed by the encoders that are installed here, as raw
# deflate data. The test needs only the files. It holds their content's checksum.
set -euo pipefail
cd "$(dirname "$0")"
rm -rf encoders
mkdir encoders
python3 - <<'PYTHON'
import random, zlib

r = random.Random(1)
lines = "".join(f"2026-01-02T{r.randrange(24):02}:{r.randrange(60):02} {r.choice(['INFO', 'WARN'])} user={r.randrange(40)} "
                f"path=/{r.choice(['a', 'index', 'static/app'])}\n" for _ in range(250)).encode()
content = (lines + bytes(3000) + r.randbytes(700) + b"abc" * 400 + lines[:5000] + bytes(33000) + lines[:300]
           + bytes(r.choice(b"aaaaaaaaaaaaaaabbbbbbbccccde") for _ in range(1500)))
open("content", "wb").write(content)
print("content:", len(content), "bytes, checksum", hex(zlib.crc32(content)))
strategies = {"default": 0, "filtered": 1, "huffman": 2, "rle": 3, "fixed": 4}
seen = set()
for level in range(1, 10):
    for name, strategy in strategies.items():
        for memory in (8,) if level != 9 else (8, 1):
            z = zlib.compressobj(level, zlib.DEFLATED, -15, memory, strategy)
            out = z.compress(content) + z.flush()
            if out not in seen and (strategy == 0 or level in (1, 6, 9)):
                seen.add(out)
                open(f"encoders/zlib-{level}-{name}-{memory}", "wb").write(out)
z = zlib.compressobj(6, zlib.DEFLATED, -15)
out = b"".join(z.compress(content[i:i + 999]) + z.flush(zlib.Z_SYNC_FLUSH) for i in range(0, 9990, 999))
open("encoders/zlib-6-flushed", "wb").write(out + z.compress(content[9990:]) + z.flush())
PYTHON
raw() { # of a gzip member without a name
	tail -c +11 | head -c -8
}
gzip -1 -n <content | raw >encoders/gzip-1
gzip -9 -n <content | raw >encoders/gzip-9
pigz -n -b 128 -p 2 <content | raw >encoders/pigz
pigz -n -11 -p 1 <content | raw >encoders/pigz-11
for level in 1 6 12; do libdeflate-gzip -$level <content | raw >"encoders/libdeflate-$level"; done
for level in 0 1 2 3; do igzip -$level -n <content | raw >"encoders/igzip-$level"; done
zopfli -c content | raw >encoders/zopfli
rm content
