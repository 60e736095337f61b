package query

import (
	"errors"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/key"
)

func TestArgumentErrors(t *testing.T) {
	q := &Query{First: First{Fields: 3}, Spec: Spec{Dialect: Dialect{Delim: ','}}}
	for _, c := range [][3]string{ // the list, where, and what is said
		{"quantile(1)", "          ^", "an argument is missing; write quantile(COLUMN, FRACTION)"},
		{"quantile(1, 1.5)", "            ^", "the fraction of a quantile is between 0 and 1"},
		{"quantile(1, -0.5)", "            ^", "the fraction of a quantile is between 0 and 1"},
		{"quantile(1, x)", "            ^", "the fraction of a quantile is a decimal"},
		{"quantile(1, 1e-1)", "            ^", "the fraction of a quantile is a decimal"},
		{"quantile(1, 0.12345678901)", "            ^", "the fraction of a quantile is a decimal with at most 9 digits"},
		{"quantile(1, )", "            ^", "an argument is missing; write quantile(COLUMN, FRACTION)"},
		{"sum(1, 2)", "       ^", "too many arguments; write sum(COLUMN)"},
		{"sum(1 order by 2)", "               ^", "the order makes no difference here"},
		{"arg_min(1)", "         ^", "an argument is missing; write arg_min(COLUMN, ORDER)"},
		{"arg_min(1, 9)", "           ^", "column 9: the first record has 3 fields"},
		{"string_agg(1, 2)", "              ^", "the separator is a text in single quotes; write string_agg(COLUMN[, 'SEPARATOR'])"},
		{"string_agg(1, ',', 2)", "                   ^", "too many arguments"},
		{"string_agg(1, ',' order by 9 desc)", "                           ^", "column 9: the first record has 3 fields"},
		{"count(distinct)", "      ^", ""},
		{"count(1, 2)", "         ^", "too many arguments; write count(COLUMN)"},
		{"sum(distinct 1)", "    ^", ""},
		{"median(*)", "       ^", ""},
		{"string_agg(1, ','", "          ^", "the parenthesis is never closed"},
	} {
		err := new(GroupPlan).parseAggregates(q, c[0])
		var wrong *key.SyntaxError
		if !errors.As(err, &wrong) {
			t.Errorf("%s: %v", c[0], err)
			continue
		}
		if c[2] != "" && (!strings.Contains(wrong.Reason, c[2]) || wrong.At != len(c[1])-1) {
			t.Errorf("%s: at %d %s", c[0], wrong.At, wrong.Reason)
		}
	}
}

func TestArgumentNames(t *testing.T) {
	for list, want := range map[string]string{
		"count(distinct 1 , 2)": "count(distinct 1, 2)", "Count( DISTINCT $1 + $2)": "Count(distinct $1 + $2)", "count(*)": "count(*)",
		"string_agg(1, 'a,b)' order by 2 desc)": "string_agg(1, 'a,b)' order by 2 desc)", "string_agg(1 ORDER  BY 2 asc )": "string_agg(1 order by 2)",
		"quantile(1, 0.50)": "quantile(1, 0.50)", "arg_max(1, 2) as m": "m",
	} {
		q := &Query{First: First{Fields: 3}, Spec: Spec{Dialect: Dialect{Delim: ','}}}
		q.Derived.First = 3
		a := new(GroupPlan)
		err := a.parseAggregates(q, list)
		all := a.Aggregates
		if err != nil || len(all) != 1 || all[0].Text != want {
			t.Errorf("%s: %+v %v", list, all, err)
		}
	}
}
