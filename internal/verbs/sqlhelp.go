package verbs

// sqlHelp describes sql.
const sqlHelp = `sql answers statements of SQL about files: nothing is loaded, the files are read
once, by all cores, in bounded memory. The manual, with what differs from
DuckDB, whose dialect this is, is docs/sql.md.

Statements:
  [with NAME as (STATEMENT), ...]
  select [distinct] EXPR [as NAME], ...  or  *  or  * exclude (COLUMN, ...)
  from 'FILE' or ['a.csv', 'b.csv'] or 'part-*.csv' or '-' (standard input)
       or read_csv('FILE', delim = '|', quote = '', header = false,
                   names = ['id', 'city'], nullstr = 'NA', skip = 1,
                   comment = '#')
       or read_json('FILE') or (STATEMENT)
       [left|right|full] join SOURCE [as NAME] on a.id = b.key [and ...]
       or using (id)
       , SOURCE [as NAME]  with where a.id = b.key
       semi join, anti join: rows that have a match, or none
  where CONDITION  or  x [not] in (select COLUMN ...)
  group by EXPR, ... or NAME or number of an item, or all
  having CONDITION
  order by EXPR [asc|desc] [nulls first|nulls last], ...
  limit N offset N
  STATEMENT union [all] STATEMENT ... [order by ...] [limit N]
  from may come first, and then "select *" may be left out. "explain STATEMENT"
  prints the plan. "create view NAME as STATEMENT" names one for later ones.

Several statements:
  Semicolons separate statements. Their answers come in order, with an empty
  line between them, or with -o 'out-%d.csv' in a file each. Those about groups
  of the same files share one pass over them. If one fails, those after it are
  not run.

Names and texts:
  Texts are in single quotes. Names with other characters than letters, digits
  and _ are in double quotes. A path in lines of JSON is user.country. Without
  a header, columns are $1, $2 and so on. The name of an item, price * 2 as y,
  stands for its expression in where, group by, having and order by, unless a
  column has that name.

Files:
  The delimiter and lines of JSON are found by the name of the file and by what
  it begins with. The first record names the columns unless every field of it
  looks like data. Several files are one table with the columns of the first
  one, by name; what another one lacks is null there, and reported. The column
  filename is the name of the file.

Joins:
  The largest file is read once; the columns of the others that are needed are
  held in memory, in half of --mem. Keys are compared as they are written; write
  a.id::int where they are numbers that are not written alike.

Values:
  A value is what it is used as: 02134 prints and groups as it is written, and
  is a number in arithmetic. What is not the number or time that is asked for is
  null, and reported: how many, and the first. Numbers are exact.

Output:
  csv quotes texts with a comma, a quote or a line end, and empty ones; null is
  an empty field. tsv writes a tab as \t, line ends as \n and
  \r, a backslash as \\, and null as \N. markdown writes | as \|, a backslash as
  \\ and a line feed as <br>. A table on a terminal is cut to its size: --all.
  --chart draws bars for a key and numbers, lines for times and numbers, and a
  histogram for numbers at equal distances, with a column of numbers each; so
  does -o FILE.svg, and -o FILE.html with a table that can be sorted.

Exit status:
  0    answered
  2    wrong usage, an input that could not be opened, or a malformed record
  3    part of an input could not be read, so the answer may be incomplete
  130  interrupted`
