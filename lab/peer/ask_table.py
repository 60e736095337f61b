"""Answers one query with DuckDB or Polars and prints the seconds that it took, and the rows.

ask_table.py LIBRARY THREADS TABLE QUERY

TABLE is JSON: path, pairs of column and DuckDB's name of its type, and delim, quoted and header
of CSV; lines of JSON have no delim. The query is SQL about t, or an expression of pl about the frame t.
For the library polars-sql, TABLE has tables by their names, which the query, SQL, is about.
Imports and the first connection are not timed.
"""

import json
import os
import sys
import time

library, threads, table, query = sys.argv[1:]
table = json.loads(table)


def duckdb():
    import duckdb

    path, columns = table["path"], dict(table["columns"])
    con = duckdb.connect()
    con.execute(f"SET threads = {int(threads)}")
    con.execute("SET enable_progress_bar = false")
    con.execute("SELECT 1").fetchall()
    if "delim" in table:
        quote = "'\"'" if table["quoted"] else "''"
        source = (
            f"read_csv('{path}', delim = '{table['delim']}', quote = {quote}, escape = {quote}, "
            f"header = {table['header']}, auto_detect = false, parallel = true, "
            f"strict_mode = {table['quoted']}, allow_quoted_nulls = false, columns = {columns})"
        )
    else:
        source = f"read_json('{path}', format = 'newline_delimited', columns = {columns})"
    sql = query.replace("FROM t", f"FROM {source} AS t")
    return lambda: con.execute(sql).fetchall()


def scan(table):
    import polars as pl

    types = {"VARCHAR": pl.String, "DOUBLE": pl.Float64, "BIGINT": pl.Int64, "BOOLEAN": pl.Boolean}
    types |= {"TIMESTAMP": pl.Datetime("us"), "DATE": pl.Date}

    def typed(name):
        if name.startswith("STRUCT("):
            fields = (field.split() for field in name[len("STRUCT(") : -1].split(", "))
            return pl.Struct({field: types[kind] for field, kind in fields})
        if name.startswith("DECIMAL("):
            return pl.Decimal(*map(int, name[len("DECIMAL(") : -1].split(", ")))
        return types[name]

    path, schema = table["path"], {name: typed(kind) for name, kind in table["columns"]}
    if "delim" not in table:
        return pl.scan_ndjson(path, schema=schema)
    return pl.scan_csv(
        path,
        separator=table["delim"],
        quote_char='"' if table["quoted"] else None,
        has_header=table["header"],
        schema=schema,
        extra_columns="ignore",  # as after a delimiter that ends each line
    )


def polars():
    import polars as pl

    lazy = eval(query, {"pl": pl, "t": scan(table)})
    return lambda: lazy.collect(engine="streaming").rows()


def polars_sql():
    import polars as pl

    lazy = pl.SQLContext({name: scan(t) for name, t in table.items()}).execute(query)
    return lambda: lazy.collect(engine="streaming").rows()


os.environ["POLARS_MAX_THREADS"] = threads  # read when polars is imported
ask = {"duckdb": duckdb, "polars": polars, "polars-sql": polars_sql}[library]()
begin = time.perf_counter()
answer = ask()
seconds = time.perf_counter() - begin
print(json.dumps({"seconds": seconds, "answer": answer}, default=str))
