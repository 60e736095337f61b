package expr

import "sync"

// elsewhere has what other dialects of SQL call otherwise, or have and this one does not: what to write instead.
// Errors alone ask for it.
var elsewhere = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"nvl": other, "isnull": "s is null, or " + other, "zeroifnull": "coalesce(x, 0)",
		"iif": "if(x > 10, 'a', 'b')", "decode": "case g when 'a' then 1 else 2 end", "choose": "case x when 1 then 'a' end",
		"to_char": formed, "date_format": formed, "format_date": formed, "format_datetime": formed, "formatdatetime": formed,
		"to_date": cut, "str_to_date": cut, "strptime": cut, "parse_date": cut, "parse_timestamp": cut, "makedate": cut,
		"make_date": cut, "make_timestamp": cut,
		"date_sub": moved, "dateadd": moved, "adddate": moved, "subdate": moved, "timestampadd": moved, "add_months": moved,
		"timestampdiff": apart, "months_between": apart, "age": apart,
		"unix_timestamp": "epoch(paid)", "to_unixtime": "epoch(paid)", "from_unixtime": "to_timestamp(x)",
		"to_epoch_ms": "epoch_ms(paid)", "day_of_week": "dayofweek(paid)",
		"last_day": "date_trunc('month', paid) + interval " +
			"'1 month' - interval '1 day'", "time_bucket": "date_trunc('hour', paid)", "dateformat": formed,
		"now": clock, "today": clock, "current_date": clock, "current_timestamp": clock, "getdate": clock, "sysdate": clock,
		"localtimestamp": clock, "curdate": clock,
		"rlike": matched, "regexp_like": matched, "regexp_contains": matched, "regexp_full_match": matched,
		"regexp_substr": "regexp_extract(s, '[a-z]+')", "regexp_count": "length(regexp_replace(s, '[^a]', '', 'g'))",
		"charindex": placed, "locate": placed, "position": placed, "mid": "substr(s, 1, 2)",
		"initcap":   "upper(left(s, 1)) || lower(substr(s, 2))",
		"safe_cast": tried, "convert": tried, "to_number": tried, "try_convert": tried, "tonumber": tried,
		"truncate": "trunc(x)", "div": "trunc(a / b)", "safe_divide": "a / nullif(b, 0)",
		"countif": counting, "count_if": counting, "sumif": "sum(x) filter (where x > 10)",
		"every": "bool_and(x > 1)",
		"uniq":  distinctly, "uniqexact": distinctly, "count_distinct": distinctly,
		"approx_distinct_count": "approx_distinct(x)",
		"array_agg":             listed, "list": listed, "json_agg": listed, "collect_list": listed, "collect_set": listed,
		"wm_concat": listed,
		"grouping":  sets, "rollup": sets, "cube": sets, "row_number": windows, "rank": windows, "dense_rank": windows,
		"lag": windows, "lead": windows, "ntile": windows, "first_value": windows, "last_value": windows,
		"nth_value":    windows,
		"percent_rank": windows, "cume_dist": windows,
		"columns": "the names of the columns", "unnest": lists, "explode": lists, "split": parted, "string_split": parted,
		"str_split": parted, "string_to_array": parted,
	}
})

const (
	other      = "coalesce(s, 'none')"
	formed     = "strftime(paid, '%Y-%m')"
	cut        = "date '2026-11-23', or paid::date; a time is a text in a form of ISO 8601"
	moved      = "paid - interval '1 day', or +"
	apart      = "date_diff('day', ordered, paid)"
	clock      = "timestamp '2026-11-23 10:35:07': an answer depends on the files alone"
	matched    = "s ~ '^a.*b$'"
	placed     = "strpos(s, 'x')"
	tried      = "x::integer, or cast(x as integer); null where the text is no number"
	counting   = "count(*) filter (where x > 10)"
	distinctly = "count(distinct x)"
	listed     = "string_agg(s, ', ' order by s): there are no lists"
	sets       = "a statement for each grouping, with union all between them: grouping sets, rollup and cube are not there"
	windows    = "group by, or a join with the groups: window functions are not there"
	lists      = "a text, or a path in lines of JSON: there are no lists"
	parted     = "split_part(s, '/', 2): there are no lists"
)
