"""Answers one question with Polars and prints the seconds that the queries took.

ask_polars.py THREADS FILE QUESTION

Files are scanned lazily, with columns and types given, with the engine that was faster for the
question. Imports are not timed.
"""

import json
import os
import sys
import time

threads, path, question = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads  # read when polars is imported

import polars as pl  # noqa: E402

FIRST_NAME = ", *([^, ]+)"


def donations():
    table = pl.scan_csv(
        path,
        separator="|",
        quote_char=None,
        has_header=False,
        infer_schema=False,
        new_columns=[f"c{i}" for i in range(1, 22)],
    )
    # All queries at once, so that they share a scan of the file where possible.
    lines, names, months, first = pl.collect_all(
        [
            table.select(pl.len()),
            table.select("c8").head(43244),
            table.group_by(pl.col("c5").str.slice(0, 6)).len(),
            table.select(pl.col("c8").str.extract(FIRST_NAME, 1))
            .drop_nulls()
            .group_by("c8")
            .len()
            .sort("len", "c8", descending=[True, False])
            .head(1),
        ],
        engine="in-memory",
    )
    return {
        "Lines": lines.item(),
        "Names": [(names["c8"][i] or "").strip() if i < len(names) else "" for i in (0, 432, 43243)],
        "Months": dict(months.rows()),
        "First": first["c8"][0] if len(first) else "",
        "FirstCount": first["len"][0] if len(first) else 0,
    }


def measurements():
    table = pl.scan_csv(
        path,
        separator=";",
        quote_char=None,
        has_header=False,
        schema={"name": pl.String, "degrees": pl.Float64},
    )
    degrees = pl.col("degrees")
    groups = table.group_by("name").agg(degrees.min().alias("min"), degrees.mean(), degrees.max().alias("max"))
    rows = groups.select("name", "min", "degrees", "max").collect(engine="streaming").rows()
    return {name: values for name, *values in rows}


def scan(columns):
    return pl.scan_csv(path, quote_char=None, has_header=False, schema=columns)


def prices():
    price = pl.col("price")
    groups = (
        scan({"name": pl.String, "price": pl.Float64})
        .group_by("name")
        .agg(price.quantile(0.5, "lower").alias("p50"), price.quantile(0.99, "lower").alias("p99"))
    )
    return {name: values for name, *values in groups.collect(engine="streaming").rows()}


def distinct():
    keys = scan({"key": pl.String, "value": pl.Int64}).select(pl.col("key").n_unique())
    return {keys.collect(engine="streaming").item(): []}


ask = {"donations": donations, "measurements": measurements, "prices": prices, "distinct": distinct}[question]
begin = time.perf_counter()
answer = ask()
seconds = time.perf_counter() - begin
print(json.dumps({"seconds": seconds, "answer": answer}))
