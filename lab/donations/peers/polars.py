"""The four questions for Polars: polars.py FILE. The file is scanned lazily, with columns given, and all
queries are collected at once, so that they share a scan where possible."""

import sys
import time

import polars as pl

begin = time.perf_counter()
table = pl.scan_csv(
    sys.argv[1],
    separator="|",
    quote_char=None,
    has_header=False,
    infer_schema=False,
    new_columns=[f"c{i}" for i in range(1, 22)],
)
lines, names, months, first = pl.collect_all(
    [
        table.select(pl.len()),
        table.select("c8").head(43244),
        table.group_by(pl.col("c5").str.slice(0, 6)).len(),
        table.select(pl.col("c8").str.extract(", *([^, ]+)", 1))
        .drop_nulls()
        .group_by("c8")
        .len()
        .sort("len", "c8", descending=[True, False])
        .head(1),
    ],
    engine="in-memory",
)
seconds = time.perf_counter() - begin

print("seconds:", seconds)
print("lines:", lines.item())
for row in (0, 432, 43243):
    print("name:", names["c8"][row] if row < len(names) else "")
for month, n in months.rows():
    print("month:", month, n)
for name, n in first.rows():
    print("first:", name, n)
