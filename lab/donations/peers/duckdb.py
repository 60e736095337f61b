"""The four questions for DuckDB: duckdb.py FILE. Columns and types are given, nothing is sniffed. One scan
answers all but the names, whose scan ends after 43,244 rows: that is twice as fast as a temporary table."""

import sys
import time

import duckdb

path = sys.argv[1].replace("'", "''")
con = duckdb.connect()
con.execute("SET enable_progress_bar = false")
con.execute("SELECT 1").fetchall()
columns = {f"c{i}": "VARCHAR" for i in range(1, 22)}
table = (
    f"read_csv('{path}', delim = '|', quote = '', escape = '', header = false, auto_detect = false, "
    f"parallel = true, strict_mode = false, columns = {columns})"
)
begin = time.perf_counter()
names = con.execute(f"SELECT c8 FROM {table} LIMIT 43244").fetchall()
groups = con.execute(
    f"""SELECT month, first, count(*), grouping(month, first)
    FROM (SELECT left(c5, 6) AS month, regexp_extract(c8, ', *([^, ]+)', 1) AS first FROM {table})
    GROUP BY GROUPING SETS ((month), (first), ())"""
).fetchall()
seconds = time.perf_counter() - begin

# grouping() sets a bit for each column that is not part of the grouping.
print("seconds:", seconds)
print("lines:", sum(n for _, _, n, about in groups if about == 3))
for row in (0, 432, 43243):
    print("name:", names[row][0] if row < len(names) else "")
for month, _, n, about in groups:
    if about == 1:
        print("month:", month, n)
firsts = [(-n, name) for _, name, n, about in groups if about == 2 and name]
if firsts:
    print("first:", min(firsts)[1], -min(firsts)[0])
