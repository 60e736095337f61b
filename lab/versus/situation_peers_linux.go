package versus

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/lab/peer"
)

// fiveRows are five questions about rows of orders: id, city, country, amount, note.
var fiveRows = []query{
	{name: "rows", thresh: []string{"count", "--lines"}, want: wantLines},
	{name: "group", thresh: onRows("--group", "3", "--agg", "count,sum(4)", "--format", "csv"), answer: sameRows},
	{name: "where", thresh: onRows("--where", "4 > 900", "--agg", "count", "--format", "csv"), answer: sameRows},
	{name: "top", thresh: onRows("--top", "5:2", "--format", "csv"), answer: sameRows},
	{name: "extremes", thresh: onRows("--agg", "min(4),max(4)", "--format", "csv"), answer: sameRows},
}

func onRows(args ...string) []string { return append([]string{"table", "--quote", "none"}, args...) }

// sameRows makes tables comparable: without the header, and numbers without zeros at their end.
func sameRows(stdout string) (string, error) {
	var out []string
	for i, line := range strings.Split(strings.TrimSpace(stdout), "\n") {
		if i == 0 {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), ",")
		for j, field := range fields {
			if v, err := strconv.ParseFloat(field, 64); err == nil {
				fields[j] = strconv.FormatFloat(v, 'g', 12, 64)
			}
		}
		out = append(out, strings.Join(fields, ","))
	}
	if len(out) == 0 {
		return "", fmt.Errorf("no rows in %q", peer.FirstLine(stdout))
	}
	return strings.Join(out, "\n"), nil
}

// lastNumber returns the total that stands in the last line of a count of many inputs.
func lastNumber(stdout string) (string, error) {
	rows := strings.Split(strings.TrimSpace(stdout), "\n")
	return firstField(rows[len(rows)-1])
}

// plain is the same command for each of some questions whose answers are known.
func plain(name, want string, n int, args []string) []contender {
	return slices.Repeat([]contender{{name: name, args: args, want: want, answer: firstField}}, n)
}

var rgLines = rival{name: "rg -c", tool: "rg", steps: func(_ *matrix, c *corpus) ([]contender, error) {
	want, err := wantLines(c)
	return plain("rg", want, 4, peer.RgLines(c.files[0].Name)), err
}}

var wcLines = rival{name: "wc -l", tool: "wc", steps: func(_ *matrix, c *corpus) ([]contender, error) {
	feeds, err := wantCount("\n")(c) // wc counts line feeds, and not a last line without one
	return plain("wc", feeds, 5, peer.WcLines(c.files[0].Name)), err
}}

var rgFiles = rival{name: "rg", tool: "rg", steps: func(_ *matrix, c *corpus) ([]contender, error) {
	want, err := wantCount(frequentText)(c)
	step := contender{
		name: "rg", args: peer.Rg("-uuu", "--count-matches", "-F", frequentText, c.folder), want: want, answer: sumOfCounts,
	}
	if want == "0" {
		err = errors.Join(err, errors.New("no file has the text"))
	}
	return []contender{step, step}, err
}}

// sumOfCounts adds the numbers of lines that read FILE:NUMBER.
func sumOfCounts(stdout string) (string, error) {
	sum := 0
	for line := range strings.Lines(stdout) {
		n, err := strconv.Atoi(strings.TrimSpace(line[strings.LastIndex(line, ":")+1:]))
		if err != nil {
			return "", err
		}
		sum += n
	}
	return strconv.Itoa(sum), nil
}

// rgFive asks ripgrep the questions of five, in the fastest way that prints as much.
var rgFive = rival{name: "rg", tool: "rg", steps: func(b *matrix, c *corpus) ([]contender, error) {
	file := c.files[0].Name
	lines, err := wantLines(c)
	frequent, ferr := wantCount(frequentText)(c)
	at, lerr := wantFirst(lateText)(c)
	steps := plain("rg", lines, 1, peer.RgLines(file))
	steps = append(steps, plain("rg", frequent, 1, peer.Rg("--count-matches", "-F", frequentText, file))...)
	steps = append(steps, contender{
		name: "rg", args: peer.Rg("-b", "-o", "-m", "1", "-F", lateText, file), want: at + ":" + lateText,
	})
	steps = append(steps, contender{
		name: "rg", args: peer.Rg("--count-matches", patternText, file), answer: b.agree("five-rg, regex", nil),
	})
	steps = append(steps, contender{name: "rg", args: peer.Rg("-b", "-o", "-m", "1", "-F", noText, file), status: 1})
	return steps, errors.Join(err, ferr, lerr)
}}

// duckFive asks DuckDB the questions of fiveRows, each in a process of its own that times itself.
var duckFive = rival{name: "DuckDB", steps: func(b *matrix, c *corpus) (steps []contender, err error) {
	python, err := python("duckdb")
	if err != nil {
		return nil, err
	}
	for _, q := range fiveRows {
		step := contender{
			name: "DuckDB, " + q.name,
			args: peer.FiveDuckDB(python, runtime.NumCPU(), c.files[0].Name, q.name),
			rate: ownClock(1),
		}
		read := b.agree("five-duckdb, "+q.name, sameRows)
		if q.want != nil {
			if step.want, err = q.want(c); err != nil {
				return nil, err
			}
			read = func(rows string) (string, error) { return strings.TrimSpace(rows), nil }
		}
		step.answer = func(stdout string) (string, error) {
			p, err := peer.ParseTimed(stdout)
			if err != nil {
				return "", err
			}
			var rows string
			if err := json.Unmarshal(p.Answer, &rows); err != nil {
				return "", err
			}
			return read(rows)
		}
		steps = append(steps, step)
	}
	return steps, nil
}}
