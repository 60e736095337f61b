"""Answers one question with DuckDB and prints the seconds that the queries took.

ask_duckdb.py THREADS MEMORY FILE QUESTION

These settings were the fastest: columns and types are given, no sniffing, and no strict mode
if the file has no quotes. Imports and the first connection are not timed.
"""

import json
import sys
import tempfile
import time

import duckdb

threads, memory, path, question = sys.argv[1:]
con = duckdb.connect()
con.execute(f"SET threads = {int(threads)}")
con.execute("SET enable_progress_bar = false")
if memory:
    spill = tempfile.TemporaryDirectory(dir=path.rsplit("/", 1)[0])
    con.execute(f"SET memory_limit = '{memory}'")
    con.execute(f"SET temp_directory = '{spill.name}'")
    con.execute("SET preserve_insertion_order = false")
con.execute("SELECT 1").fetchall()


def csv(columns, delim, quoted=False, header=False):
    """The file as a table."""
    quote = "'\"'" if quoted else "''"
    return (
        f"read_csv('{path}', delim = '{delim}', quote = {quote}, escape = {quote}, header = {header}, "
        f"auto_detect = false, parallel = true, strict_mode = {quoted}, columns = {columns})"
    )


def donations():
    # One scan for everything but the names: that is twice as fast as a temporary table
    # with both columns, and as four scans. The scan for names ends after 43,244 rows.
    table = csv({f"c{i}": "VARCHAR" for i in range(1, 22)}, "|")
    names = con.execute(f"SELECT c8 FROM {table} LIMIT 43244").fetchall()
    groups = con.execute(
        f"""SELECT month, first, count(*), grouping(month, first)
        FROM (SELECT left(c5, 6) AS month, regexp_extract(c8, ', *([^, ]+)', 1) AS first FROM {table})
        GROUP BY GROUPING SETS ((month), (first), ())"""
    ).fetchall()
    # grouping() sets a bit for each column that is not part of the grouping.
    first = min(((-n, name) for _, name, n, about in groups if about == 2 and name), default=(0, ""))
    return {
        "Lines": sum(n for _, _, n, about in groups if about == 3),
        "Names": [(names[i][0] or "").strip() if i < len(names) else "" for i in (0, 432, 43243)],
        "Months": {month: n for month, _, n, about in groups if about == 1},
        "First": first[1],
        "FirstCount": -first[0],
    }


def groups(sql):
    return {key: values for key, *values in con.execute(sql).fetchall()}


def measurements():
    table = csv({"name": "VARCHAR", "degrees": "DOUBLE"}, ";")
    return groups(f"SELECT name, min(degrees), avg(degrees), max(degrees) FROM {table} GROUP BY name")


def orders(quoted):
    columns = {"id": "BIGINT", "city": "VARCHAR", "country": "VARCHAR", "amount": "DOUBLE", "note": "VARCHAR"}
    table = csv(columns, ",", quoted=quoted, header=True)
    return groups(f"SELECT country, count(*), sum(amount) FROM {table} GROUP BY country")


def keys():
    table = csv({"key": "VARCHAR", "value": "BIGINT"}, ",")
    return groups(
        f"SELECT key, sum(value)::BIGINT AS total FROM {table} GROUP BY key ORDER BY total DESC, key LIMIT 10"
    )


def prices():
    table = csv({"name": "VARCHAR", "price": "DOUBLE"}, ",")
    return groups(
        f"SELECT name, quantile_disc(price, 0.5), quantile_disc(price, 0.99) FROM {table} GROUP BY name"
    )


def distinct():
    table = csv({"key": "VARCHAR", "value": "BIGINT"}, ",")
    return groups(f"SELECT count(DISTINCT key) FROM {table}")


ask = {
    "donations": donations,
    "measurements": measurements,
    "orders": lambda: orders(True),
    "orders-plain": lambda: orders(False),
    "keys": keys,
    "prices": prices,
    "distinct": distinct,
}[question]
begin = time.perf_counter()
answer = ask()
seconds = time.perf_counter() - begin
print(json.dumps({"seconds": seconds, "answer": answer}))
