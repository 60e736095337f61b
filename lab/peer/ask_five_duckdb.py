"""Answers one question about rows of orders with DuckDB and prints the seconds that the query took.

ask_five_duckdb.py THREADS FILE QUESTION

Columns and types are given, no sniffing, and no strict mode, since the file has no quotes: that was
the fastest. Imports and the first connection are not timed. The answer is text in the form of
thresh's CSV: a header, then the rows.
"""

import json
import sys
import time

import duckdb

threads, path, question = sys.argv[1:]
con = duckdb.connect()
con.execute(f"SET threads = {int(threads)}")
con.execute("SET enable_progress_bar = false")
con.execute("SELECT 1").fetchall()

columns = {"id": "VARCHAR", "city": "VARCHAR", "country": "VARCHAR", "amount": "DOUBLE", "note": "VARCHAR"}
table = (
    f"read_csv('{path}', delim = ',', quote = '', escape = '', header = false, "
    f"auto_detect = false, parallel = true, strict_mode = false, columns = {columns})"
)
sql = {
    "rows": f"SELECT count(*) FROM {table}",
    "group": f"SELECT country, count(*), sum(amount) FROM {table} GROUP BY country ORDER BY country",
    "where": f"SELECT count(*) FROM {table} WHERE amount > 900",
    "top": f"SELECT city, count(*) AS n FROM {table} GROUP BY city ORDER BY n DESC, city LIMIT 5",
    "extremes": f"SELECT min(amount), max(amount) FROM {table}",
}[question]
begin = time.perf_counter()
rows = con.execute(sql).fetchall()
seconds = time.perf_counter() - begin
text = "\n".join(",".join(str(v) for v in row) for row in rows)
print(json.dumps({"seconds": seconds, "answer": text if question == "rows" else "header\n" + text}))
