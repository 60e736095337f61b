"""Reads tables with DuckDB, as the twin's tests ask: a JSON list of {file, delim, quote,
columns, aggregate} on standard input; for each {rows} or {error} on standard output."""

import json
import sys

import duckdb

NEVER = "\x01never\x01"  # a text that no field has: nothing is NULL
NULL = "\x00(null)\x00"  # as the twin has it


def read(c):
    names = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(c["columns"]))
    source = f"""read_csv(?, auto_detect=false, header=false, delim=?, quote=?, escape=?,
        columns={{{names}}}, nullstr=?, allow_quoted_nulls=false, strict_mode=true, parallel=false)"""
    if c.get("aggregate"):
        query = f"""with t as (select c0 as k, try_cast(trim(c1) as decimal(38, 6)) as x, c1 as s from {source})
            select k, count(*), sum(x), min(x), max(x), count(distinct s),
                   quantile_disc(x, 0.5), quantile_disc(x, 0.99)
            from t group by k order by k collate "binary" """
    else:
        query = f"select * from {source}"
    parameters = [c["file"], c["delim"], c["quote"], c["quote"]]
    duckdb.execute(query, parameters + [NEVER])  # it lets a null be one field too many
    rows = duckdb.execute(query, parameters + [""]).fetchall()
    return [[NULL if v is None else str(v) for v in row] for row in rows]


answers = []
duckdb.execute("set threads = 1")
for c in json.load(sys.stdin):
    try:
        answers.append({"rows": read(c)})
    except (duckdb.Error, UnicodeDecodeError) as e:
        answers.append({"error": str(e)[:300]})
json.dump(answers, sys.stdout)
