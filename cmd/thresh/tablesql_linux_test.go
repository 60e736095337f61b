package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/test/client"
)

// question is the arguments of thresh table in a folder, as they are typed in a shell.
type question struct{ folder, args string }

// notCompared are flags that say how to print or to run, not what to ask.
var notCompared = regexp.MustCompile(`(^| )(-q|-o|--(format|json|output|quiet|explain|dry-run|receipt|color|progress|help|sql|columns|mem)\b)`)

// inTwoSpellings names one column by its number and by its name, which only the header tells.
const inTwoSpellings = "a.csv --header --group k --agg 'sum(4)' --top-by 'SUM(`odd, name`)'"

// notAsCSV are ways of writing tables in which records are printed as they are, and not as CSV.
var notAsCSV = regexp.MustCompile(`-d |--delimiter|--quote|\.ndjson|\.psv|\.tsv`)

// TestTableAsSQL: the statements that --sql prints answer as the flags do, for the questions of docs/sql.md and of
// the scripts.
func TestTableAsSQL(t *testing.T) {
	bash := client.Program(t, "bash", "bash")
	var all []question
	all = append(all, pageQuestions(t)...)
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		all = append(all, scriptQuestions(t, script)...)
	}
	var typed strings.Builder
	out := t.TempDir()
	for i, q := range all {
		typed.WriteString("eval " + command.ShellQuote(fmt.Sprintf("cd '%s'; o='%s/%d'; "+
			"{ thresh table %s >$o.table 2>/dev/null </dev/null || { rm $o.table; false; }; } && "+
			"thresh table %[4]s --sql >$o.sql 2>$o.refused </dev/null && "+
			"thresh sql -f $o.sql >$o.answer 2>$o.error </dev/null", q.folder, out, i, q.args)) + "\n")
	}
	if err := exec.Command(bash, "-c", typed.String()+"true").Run(); err != nil {
		t.Fatal(err)
	}
	same, refused := 0, 0
	for i, q := range all {
		read := func(what string) string {
			text, err := os.ReadFile(fmt.Sprintf("%s/%d.%s", out, i, what))
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			return string(text)
		}
		switch want, statement := read("table"), read("sql"); {
		case want == "", q.args == inTwoSpellings, strings.Contains(q.args, "--chart"), strings.Contains(q.args, "--select") && notAsCSV.MatchString(q.args):
		case statement == "":
			if refused++; !strings.HasPrefix(read("refused"), "thresh: ") {
				t.Errorf("thresh table %s --sql: %s", q.args, read("refused"))
			}
		case bodies(want, !strings.Contains(statement, "header = false") || !strings.Contains(q.args, "--select")) !=
			bodies(read("answer"), true):
			t.Errorf("thresh table %s\n%s%s\ngot:\n%.400s\nwant:\n%.400s", q.args, statement, read("error"), read("answer"), want)
		default:
			same++
		}
	}
	t.Logf("%d the same, %d refused", same, refused)
	if same < 150 {
		t.Errorf("only %d questions were compared", same)
	}
}

// bodies returns answers without the names of their columns, which are those of the header in table.
func bodies(text string, headings bool) string {
	var all []string
	for _, answer := range strings.Split(text, "\n\n") {
		r := csv.NewReader(strings.NewReader(answer))
		r.FieldsPerRecord, r.LazyQuotes = -1, true
		rows, err := r.ReadAll()
		if err != nil || len(rows) == 0 {
			return text
		}
		if headings {
			rows = rows[1:]
		}
		all = append(all, fmt.Sprintf("%q", rows))
	}
	return strings.Join(all, "\n")
}

func pageQuestions(t *testing.T) (all []question) {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "orders.csv"), orders(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, e := range pageExamples(t) {
		all = append(all, question{folder, "orders.csv " + e.flags})
	}
	return all
}

func scriptQuestions(t *testing.T, script string) (all []question) {
	t.Helper()
	archive, err := txtar.ParseFile(script)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, f := range archive.Files {
		name := filepath.Join(folder, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(string(archive.Comment)) {
		args, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "exec thresh table ")
		if !ok || notCompared.MatchString(args) {
			continue
		}
		args = strings.ReplaceAll(args, "''", `'\''`) // in a script a quote is doubled in quotes
		if !slices.ContainsFunc(all, func(q question) bool { return q.args == args }) {
			all = append(all, question{folder, args})
		}
	}
	return all
}
