package verbs

// tableHelp describes table.
const tableHelp = `table answers questions about CSV and other delimited text, and about lines of
JSON. It treats all inputs as one table and answers all questions in one pass.
Without FILE, or with "-", it reads standard input, unless FILE is missing and
that is a terminal; with -r and no FILE, the files below this folder.

Questions:
  Without any, table shows what is in each FILE: the columns, what their values
  look like and the first records, from the first 1 MiB; or what kind of file it
  is. So does "thresh FILE".
  Ask with --rows, --nth, --sample, --group and --top; each may be repeated.
  Or ask with --select or --columns alone. --agg, --sort, --having, --top-by,
  --skip and --limit apply to the --group before them, --sort, --skip and
  --limit also to --select. An --agg without a --group before it applies to
  all records.

Columns:
  A column is a number, counted from 1, or a name. If a question names one, the
  first record of each input names the columns; otherwise it is a record like
  the others. --header and --no-header settle it. Put a name in backquotes if
  it looks like a number or contains anything but letters, digits and _. A KEY
  is a column; some bytes of a column, 5[:6] or 5[4:6]; an expression; or a
  regular expression (RE2) on a column, whose first capture is the key:
  8~, *([^, ]+). If it has named captures, (?P<name>...), each of them is a
  key. Records that do not match are in no group. In a list of keys, put the
  regular expression last or in single quotes. "KEY as NAME" names a key.

Expressions:
  Keys, aggregates, filters and --select take expressions of SQL: + - * / % ||,
  conditions, case when ... then ... else ... end, cast(x as type) and x::type,
  coalesce nullif greatest least, abs round floor ceil, lower upper length
  substr left right trim replace split_part, regexp_extract regexp_replace,
  date date_trunc date_part strftime extract epoch, year to second,
  interval '5 minutes'.
  All are in docs/sql.md. Texts are in single quotes, and column 5 is $5.
  In --agg, --having and --sort expressions are over aggregates and keys:
  max(a) - min(a) as range. AGG(x) filter (where CONDITION) skips the other
  records. Decimals are computed exactly; a quotient has at most 18 significant
  digits, and one by zero is null. If a field is not a number, it is the result;
  with null the result is null. As keys, numbers have no zeros at the end and no
  exponent.

Null:
  In CSV an unquoted empty field is null, and so is one that a record lacks;
  "" in quotes is an empty text. With --null NA a field NA without quotes is
  null, too. In lines of JSON null and a missing key are null. A text of spaces
  is a text. As in SQL, null equals nothing, no comparison with it is true or
  false, nor is the opposite of one, functions of it are null, and aggregates
  skip it. It is a key of its own, and comes last in any order. It is written
  as an empty field in CSV and as null in other formats, and an empty text in
  quotes; without quotes that is an error.

Records themselves:
  --select prints columns of the records, * all of them, in file order and
  while they are read, or in that of --sort; --limit prints some. CSV has the
  delimiter and the quotes of the input, a heading if it has names, quotes only
  where they are needed, and a line feed after each record. All columns are
  text in Arrow and Parquet: their types are unknown before the last record.
  --sample N prints N records, every set of N with the same chance; --seed
  chooses others.
  --columns describes each column: integer, decimal, float, date, timestamp,
  boolean or text (null, if all fields are), how many fields are null, how
  many texts there are, the smallest and greatest value (of dates and
  timestamps by the moment), and the longest, in bytes. Dates among timestamps
  are timestamps.

Lines of JSON:
  With -d json, or if the name ends in .ndjson or .jsonl, each line is an
  object, and a column is a path: user.country, items.0.id. Keys that are no
  plain words need backquotes, each its own. Numbers are exact; objects and
  arrays are their text. Half of a surrogate pair is three bytes that no other
  text has; to patterns and length they are three characters, as all bytes
  that are not UTF-8. Of a key that occurs twice the last counts. Lines are
  checked completely; what is not JSON in UTF-8 is malformed. --select '*'
  prints the lines as they are.

Aggregates:
  --agg takes a list of count, count(c), sum(c), min(c), max(c), first(c),
  last(c), mean(c), median(c), mode(c), stddev(c), variance(c), distinct(c)
  and quantiles such as p50(c), p99(c) and p99.9(c), of a column or an
  expression. "AGG as NAME" names the answer. count(c) counts the fields that
  are not null. Quantile pP of n values is value number n*P/100, rounded up,
  in ascending order; median is the mean of the middle one or two. stddev and
  variance divide by n-1; stddev_pop and var_pop by n. mode is the commonest
  text, the least of several. Numbers are decimal text; spaces around them are
  ignored. Sums of decimals are exact. mean, median, stddev and variance are
  computed exactly, and rounded once to 64-bit floats. If any number in a
  column has an exponent, the column is computed in 64-bit floats. Fields that
  are not numbers are skipped; they are counted and reported on standard
  error. If none of a column is a number, that is an error, unless all are
  null. If no field of the column is a number, min, max, first and last are
  those of the times, if all fields that are not null are times; otherwise
  those of the texts, byte by byte. distinct counts the different texts. All
  of these are exact at any size. approx_distinct(c) and approx_p50(c) (or
  another quantile) are estimates that need little memory, because they keep
  neither texts nor values; a note on standard error says how accurate they
  are. The sum of no values is null, and so is the sum of both infinities.
  JSON has no infinite numbers, so they are text there: "+Inf".

  Of several arguments: count(distinct a, b) counts the different pairs, and
  so on; a record with a null among them does not count. arg_min(c, d) and
  arg_max(c, d) are the c of the record with the least or the greatest d, the
  first of several; records with a null c or d do not count.
  string_agg(c, ', ' order by d desc) is the texts with this separator between
  them (a comma without one), in the order of the records without "order by";
  null comes last. It is held in memory, so one answer has at most 1 MiB of
  text and 100,000 values. quantile(c, 0.99) is p99(c), and so is
  quantile_disc; approx_quantile(c, 0.99) is approx_p99(c). any_value is
  first. bool_and(c) and bool_or(c) are whether all values are true, or any;
  values other than true and false, in any case, are skipped with a note.
  geomean(c) is the geometric mean: null if a value is negative. hist(c, 10)
  counts in ten bins of the same width from the least to the greatest number;
  each ends before the next begins, and the last has the greatest. It is JSON,
  {"from":1,"to":9,"counts":[3,0,2]}, and bars in a table. corr(c, d),
  covar_pop(c, d) and covar_samp(c, d) are about the records in which both are
  numbers, computed exactly and rounded once.

Order:
  Groups are sorted by key, byte by byte. --sort key, value (the first
  aggregate), or by keys and aggregates with commas between them, each with
  asc or desc after it, and then nulls first or nulls last: --sort 'count
  desc, city'. Without that, keys are ascending and aggregates descending, and
  groups without a value come last. Ties are sorted by key. --top-by AGG is
  --sort 'AGG desc'.
  Records are sorted by columns and expressions, also those that are not
  printed: --sort 'price * quantity desc, city'. Numbers come first, by value;
  then times, by the moment, and the same moment by its text; then texts, byte
  by byte; then null. desc turns the values of a kind round, not the kinds.
  Ties stay in file order. With --limit only so many records are kept.
  --skip N leaves out the first N rows of an answer; --limit M prints M after
  them.

Where:
  --where EXPR keeps the records for which EXPR is true. It knows = != < <= >
  >= ~ !~ ~* !~* in (...) between ... and ..., like, ilike, is null, and or
  not ( ). The left side is a column: a name, or a number as in 5 = "SC" or
  $5; or an expression. The right side is a number, a "text", or another
  column or expression, $6; for ~ and !~ a 'regular expression' (~* and !~*
  ignore case); for like a 'pattern' of the whole field, in which % is any
  text and _ any character, and a backslash makes them ordinary (ilike ignores
  case). not may come before in, between, like and ilike: is not null. A
  comparison with a number, or between two columns that both hold numbers,
  compares numbers; for a field that is not a number it is neither true nor
  false, as for null, and not does not change that. If no record fits, and no
  field that was compared with a number (except by =) is one, that is an
  error. Any other comparison compares texts byte by byte.

Having:
  --having EXPR keeps the groups for which EXPR is true, in the language of
  --where. Its columns are the keys and the aggregates, as they are printed;
  aggregates that are not in --agg may be used too: count > 10 and sum(paid) =
  0.

Charts:
  --chart draws an answer: bars for a key and numbers, lines for times and
  numbers, and a histogram for numbers at equal distances. -o FILE.svg draws
  one, too, and -o FILE.html makes a page with a table that can be sorted.

Names:
  The columns of an answer are named as in the header, or by number. A name
  that would occur twice gets a number: count, count_2. Several
  inputs are one table with the columns of the first one, by their names:
  others may have them in another order, have more, which can be named, or
  lack some, which are null there and reported.

Records:
  A field is quoted if it begins with a quote. A quote anywhere else in a
  field is misplaced and does not open a quoted field. A record ends with a
  line feed, or with CR and line feed, outside a quoted field; the last record
  may end without one. Empty lines are skipped if there are several columns.
  With a single column they are records with a null field, unless the file
  contains nothing else. The first record sets the number of fields. A record
  with more or fewer fields, or with a misplaced quote, is malformed: by
  default the run stops and reports its line and offset. --malformed skip
  leaves out such records, and only these, and reports how many lines and
  bytes they are. --malformed keep keeps them: missing fields are null, extra
  fields are ignored, misplaced quotes are text, and so is whatever follows a
  closing quote. A quoted field that is never closed extends to the end of the
  input, and is reported.

Memory:
  Groups, values, texts and records to sort beyond the memory bound (--mem) go
  to temporary files; answers stay exact. 16MiB is enough for nearly all
  questions: with fewer workers where more do not fit, which the receipt says.

Exit status:
  0    answered
  2    wrong usage, a malformed record, or an input that could not be opened
  3    part of an input could not be read or a compressed input is damaged, so
       answers are incomplete; each unread range is printed
  130  interrupted: answers that are not final are then not printed, except
       with --json, where "complete" is false, and records of --select`
