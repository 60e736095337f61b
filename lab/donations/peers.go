package donations

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/peer"
)

// peers returns other programs: those that answer the four questions, and those that only count lines, to
// be held against read-text and read-bytes. DuckDB and Polars time their queries themselves, so the start of
// the interpreter does not count.
func peers() []lab.Variant {
	library := func(name string) func() string { return func() string { return peer.NoLibrary(name) } }
	installed := func(name string) func() string { return func() string { return peer.NotInstalled(name) } }
	duckDB := func(path string) []string {
		return peer.DuckDB(peer.Python(""), runtime.NumCPU(), "", path, "donations")
	}
	polars := func(path string) []string {
		return peer.Polars(peer.Python(""), runtime.NumCPU(), path, "donations")
	}
	programs := []program{
		{"duckdb", "DuckDB, from Python", byQuestion, 0, library("duckdb"), duckDB, answerOfScript},
		{"polars", "Polars, from Python", byQuestion, 0, library("polars"), polars, answerOfScript},
		{"mawk", "mawk, one pass", byQuestion, 0, installed("mawk"), peer.Mawk, answerOfMawk},
		{"wc", "wc -l, lines only", linesOnly, 0, installed("wc"), peer.WcLines, countOfLines},
		{"rg", "ripgrep, lines only", linesOnly, 1, installed("rg"), peer.RgLines, countOfLines},
	}
	var all []lab.Variant
	for _, p := range programs {
		all = append(all, lab.Variant{
			ID: "donations/" + p.id, What: p.what, Work: p.by.work(), Peer: true, Input: input, WantOf: p.by.want,
			Settings: []lab.Setting{warm(0)}, Missing: p.missing, Run: p.run,
		})
	}
	return all
}

// program is how another program is found and asked.
type program struct {
	id, what  string
	by        rule
	statusMax int // the highest exit status that is not an error
	missing   func() string
	command   func(path string) []string
	// answer returns the program's answer, and its seconds if it timed itself.
	answer func(peer.Output) (Answer, float64, error)
}

func (p program) run(ctx context.Context, t lab.Task) (lab.Outcome, error) {
	out, err := peer.Run(ctx, p.statusMax, p.command(t.Path)...)
	if err != nil {
		return lab.Outcome{}, err
	}
	a, seconds, err := p.answer(out)
	if err != nil {
		return lab.Outcome{}, fmt.Errorf("%s: %w", p.id, err)
	}
	if seconds == 0 {
		seconds = out.Seconds
	}
	return lab.Outcome{Seconds: seconds, Bytes: t.Bytes, Items: a.Lines, Answer: a.text(p.by)}, nil
}

func answerOfScript(out peer.Output) (a Answer, seconds float64, err error) {
	timed, err := peer.ParseTimed(out.Stdout)
	if err != nil {
		return a, 0, err
	}
	return a, timed.Seconds, json.Unmarshal(timed.Answer, &a)
}

func answerOfMawk(out peer.Output) (Answer, float64, error) { return parseAnswer(out.Stdout) }

// countOfLines parses the number at the beginning of the output. For no lines ripgrep prints nothing, and says so
// by status 1.
func countOfLines(out peer.Output) (a Answer, seconds float64, err error) {
	number, _, _ := strings.Cut(peer.FirstLine(out.Stdout), " ")
	if number == "" && out.Status == 1 {
		return a, 0, nil
	}
	a.Lines, err = strconv.ParseInt(number, 10, 64)
	return a, 0, err
}
