package table

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/query"
)

// TestExtract asks for what regular expressions find in ordinary text and in lines of JSON.
func TestExtract(t *testing.T) {
	for _, c := range []struct {
		dialect                      query.Dialect
		text, where, keys, agg, want string
	}{
		{query.Dialect{Delim: '|', Quote: '"', Header: true}, "k|o'clock\na|took 12.5ms\nb|took 3ms\na|none\nb|\na|\"took \"\"7\"\"ms\"\n",
			"", "k", "count,sum(regexp_extract(`o'clock`, 'took \"?([0-9.]+)', 1)) as ms,count(regexp_extract(`o'clock`, 'x*'))",
			"a 3 19.5 3; b 2 3.0 1"},
		{query.Dialect{Delim: ',', Header: true}, "a,b\n1,x7y\n2,x9y\n3,z\n", "regexp_extract(b, '[0-9]+') > 8 or regexp_extract(b, 'z') = \"z\"",
			"regexp_extract(b, '(x)|z', 1)", "sum(a),sum(regexp_extract(b, '(.)([0-9])', 2) * a)", " 3 null; x 2 18"},
		{query.Dialect{JSON: true}, `{"m": {"t": "a \"12\" \u00e9"}}` + "\n" + `{"m": {"t": null}}` + "\n" + `{"n": 1}` + "\n", "", "",
			`sum(regexp_extract(m.t, '"([0-9]+)" é', 1)),count(regexp_extract(m.t, '')),distinct(length(regexp_extract(m.t, 'é')))`, "12 1 1"},
	} {
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		spec := query.Spec{Dialect: c.dialect, Where: c.where, Questions: []query.Question{{Kind: query.Group, Keys: c.keys, Aggregates: c.agg}}}
		for _, v := range []way{{piece: 1 << 20, workers: 1, mem: 64 << 20}, {piece: 5, workers: 2, mem: 64 << 20}} {
			_, out, err := answerTable(t, []string{name}, spec, v)
			if err != nil {
				t.Fatal(err)
			}
			var rows []string
			for _, row := range out.answers[0][1:] {
				rows = append(rows, strings.ReplaceAll(strings.Join(row, " "), "\x00(null)\x00", "null"))
			}
			if got := strings.Join(rows, "; "); got != c.want {
				t.Errorf("%s by %s: %q, want %q", c.agg, c.keys, got, c.want)
			}
		}
	}
}

// TestExtractErrors: what is wrong with a call is said at its place.
func TestExtractErrors(t *testing.T) {
	for _, c := range []struct{ agg, caret, reason string }{
		{"sum(regexp_extract(a))", "    ^", "regexp_extract takes 2 or 3 arguments"},
		{"sum(regexp_extract(a, b))", "                      ^", "the pattern is missing here, in single quotes"},
		{"sum(regexp_extract('x', a))", "                   ^", "a column is missing here; write regexp_extract(COLUMN, 'PATTERN')"},
		{"sum(regexp_extract(z, 'x'))", "                   ^", `column "z"`},
		{"sum(regexp_extract(a, 'x('))", "                      ^", "error parsing regexp: missing closing )"},
		{"sum(regexp_extract(a, 'x', 1))", "                      ^", "the pattern has 0 groups, and no group 1"},
		{"sum(regexp_extract(a, 'x', -1))", "                           ^", "the number of a group is missing here"},
		{"sum(regexp_extract(a, 'x', 0, 1))", "    ^", "regexp_extract takes 2 or 3 arguments"},
		{"sum(regexp_extract(a, 'x)')", "   ^", "the parenthesis is never closed"},
		{"sum(a~'x')", "    ^", "write regexp_extract(COLUMN, 'PATTERN', 1)"},
		{"sum(regexp_extrac(a, 'x'))", "    ^", `did you mean "regexp_extract"`},
	} {
		_, err := query.Spec{Questions: []query.Question{{Kind: query.Group, Aggregates: c.agg}}}.Compile(query.First{Fields: 2, Names: []string{"a", "b"}})
		lines := strings.Split(fmt.Sprint(err), "\n")
		if len(lines) != 3 || !strings.HasPrefix(lines[0], "--agg: "+c.reason) && !strings.Contains(lines[0], c.reason) ||
			lines[1] != c.agg || lines[2] != c.caret {
			t.Errorf("%s: %v, want %q at\n%s", c.agg, err, c.reason, c.caret)
		}
	}
}
