package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/command"
)

// TestMistakes types what hands do that know other programs. Each message says what to type instead, and
// is not the flag library's.
func TestMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"app.log": "an ERROR\n", "a.csv": "id,city\n1,Rome\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ typed, want string }{
		// A pattern where a file is expected.
		{"find ERROR app.log", "did you mean thresh grep ERROR app.log, or thresh find --text ERROR app.log?"},
		{"count ERROR app.log", "did you mean thresh grep -c ERROR app.log, or thresh count --text ERROR app.log?"},
		{"find user=[0-9] app.log", "did you mean thresh grep 'user=[0-9]' app.log"},
		{"find app.log", "what to find? give one of --nonzero"},
		{"count app.log", "what to count? give one of --lines"},
		{"table a.csv --where x=1", "what to answer? ask with --rows"},
		// Unknown verbs.
		{"cout app.log", "did you mean count?"},
		{"gerp x app.log", "did you mean grep?"},
		{"wc app.log", "did you mean thresh count --lines --words?"},
		{"search x app.log", "did you mean thresh grep for lines, or thresh find for offsets?"},
		{"rg x app.log", "did you mean thresh grep?"},
		{"jq . x.json", "did you mean thresh minify"},
		{"http .", "did you mean thresh serve?"},
		{"qqqqqq", `"thresh --help" lists the commands`},
		{"tail -f app.log", "hint: tail -F FILE | thresh grep PATTERN follows a file"},
		{"diff a b", "hint: thresh cmp A B"},
		{"sort app.log", "did you mean thresh sql \"from 'FILE' order by COLUMN\"?"},
		{"uniq -c app.log", "did you mean thresh table FILE --group COLUMN"},
		{"head app.log", "did you mean thresh FILE, which shows how a file begins?"},
		{"pretty x.json", "hint: jq . FILE indents JSON"},
		{"ripgrep x app.log", "did you mean thresh grep?"},
		{"sed s/a/b/ app.log", "hint: thresh changes no text; thresh grep finds the lines"},
		{"tabel a.csv", "did you mean table?"},
		{"watt x", `"thresh --help" lists the commands`}, // two letters of four are another word
		{"count --lines gs://bucket/object", "gs:// is not supported; objects are read by https://, http:// and s3://"},
		// Unknown flags.
		{"count --linse app.log", "did you mean --lines?"},
		{"count --line app.log", "did you mean --lines?"},
		{"count --word app.log", "did you mean --words?"},
		{"count -c app.log", "did you mean stat -c %s FILE"},
		{"count --sum app.log", "did you mean --stats?"},
		{"find --regexp x app.log", "did you mean --regex?"},
		{"find -e x app.log", "did you mean --regex?"},
		{"find -n --text x app.log", "did you mean thresh grep -n?"},
		{"find --ignorecase --text x app.log", "did you mean --ignore-case?"},
		{"find --nonzeros app.log", "did you mean --nonzero?"},
		{"grep -P x app.log", "expressions have the syntax of RE2, so leave it out"},
		{"grep --include *.go -r x .", "did you mean --glob?"},
		{"grep --since 10:00 x app.log", "did you mean --from TIME?"},
		{"grep --follow x", "--follow needs the name of a file"},
		{"count --per-file --lines app.log", "hint: of several files each has a line, so leave it out"},
		{"serve --listen :80 .", "did you mean --addr?"},
		{"serve --password x .", "did you mean --auth NAME, which asks for a password or makes one?"},
		{"grep --no-ignore x app.log", ".gitignore is not read, so leave it out"},
		{"grep --colour always x app.log", "did you mean --color?"},
		{"table a.csv --groupby city", "did you mean --group?"},
		{"table a.csv --headers --rows", "did you mean --header?"},
		{"table a.csv --delim ; --rows", "did you mean --delimiter?"},
		{"minify --inplace app.log", "did you mean --in-place?"},
		{"find --threads 2 --nonzero app.log", "did you mean --workers?"},
		{"find --qqqqqqq app.log", `"thresh find --help" lists the flags`},
		{"find -Z app.log", `unknown flag -Z of "thresh find"`},
		// Values.
		{"find --nonzero --engine mmpa app.log", "did you mean --engine=mmap?"},
		{"find --nonzero --cache neutrl app.log", "did you mean --cache=neutral?"},
		{"count --lines --receipt json app.log", "--receipt json: write --receipt=json, with an equals sign"},
		{"grep ERROR app.log --receipt json", "--receipt json: write --receipt=json, with an equals sign"},
		{"blank app.log --receipt json", "--receipt json: write --receipt=json, with an equals sign"},
		{"find --nonzero --receipt=jsno app.log", "did you mean --receipt=json?"},
		{"find --nonzero --chunk 12q app.log", "is not a number of bytes (write 4096"},
		{"find --nonzero --workers many app.log", `--workers "many": not a whole number`},
		{"find app.log --text", "--text needs a value: --text TEXT"},
		{"find --nonzero=7 app.log", "the flag takes no value"},
		{"grep --color sometimes x app.log", `--color "sometimes" is unknown`},
		{"find --nonzero --color alwyas app.log", "did you mean --color=always?"},
		{"table a.csv --rows --format xls", `--format "xls" is unknown (known: table, csv, tsv, json, markdown, arrow, parquet, chart, svg, html)`},
		{"table a.csv --rows --malformed ignore", "known: fail, skip, keep"},
		{"relay --listen 127.0.0.1:0 --to 127.0.0.1:1 --send-proxy 2", `--send-proxy "2" is unknown`},
		// What changed its meaning, and outputs that cannot be.
		{"table a.csv --rows -o csv", "write --format csv for the format"},
		{"table a.csv --rows --out csv", "did you mean --output?"},
		{"table a.csv --rows -o x.xlsx", "no format is known by the ending .xlsx"},
		{"count --lines app.log -o .", "create .: it is a folder: name a file"},
		{"find --nonzero app.log -o app.log", "-o app.log is also the input app.log"},
		{"count --lines app.log -o no/such/x", "no/such/x"},
		// Contradictions name both.
		{"find --nonzero --text x app.log", "--nonzero and --text contradict each other"},
		{"count --lines --stats app.log", "--stats and --lines contradict each other"},
		{"count --lines -q -o x app.log", "--quiet and --output contradict each other"},
		{"grep -c -l x app.log", "contradict each other"},
		{"table a.csv --header --no-header --rows", "--header and --no-header contradict each other"},
	} {
		status, message := invoke(t, strings.Fields(test.typed)...)
		if status != command.WrongUsage || !strings.Contains(message, test.want) {
			t.Errorf("thresh %s: status %d, %q; want %q", test.typed, status, message, test.want)
		}
		for _, raw := range []string{"invalid argument", "shorthand", "strconv", "<nil>", "flag needs an argument", "unknown command \"\""} {
			if strings.Contains(message, raw) {
				t.Errorf("thresh %s: the text has %q: %s", test.typed, raw, message)
			}
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 2 {
		t.Errorf("left %v, %v", entries, err)
	}
}

// TestOutputFile writes the results of find and count to files, and keeps the old one if they are not
// complete.
func TestOutputFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("in", []byte("a needle\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   string
		status int
		want   string
	}{
		{"find --text needle in", command.Answered, "2\n"},
		{"find --text needle -l in", command.Answered, "2:a needle\n"},
		{"find --text nothing in", command.Nothing, ""},
		{"count --lines in", command.Answered, "1\n"},
		{"count --words --chars in", command.Answered, "2 9\n"},
		{"count --lines --json in", command.Answered, "{\"file\":\"in\",\"count\":1}\n{\"summary\":{\"count\":1,\"bytes\":9,\"complete\":true}}\n"},
		{"count --lines missing", command.WrongUsage, "old"},
		{"count --lines in missing", command.WrongUsage, "old"},
		{"find --text needle in missing", command.WrongUsage, "old"},
		{"find --text needle --dry-run in", command.Answered, "old"},
	} {
		if err := os.WriteFile("out", []byte("old"), 0o604); err != nil {
			t.Fatal(err)
		}
		status, message := invoke(t, append(strings.Fields(test.args), "-o", "out")...)
		got, err := os.ReadFile("out")
		if err != nil || status != test.status || string(got) != test.want {
			t.Errorf("%s: status %d, %q, %v, %s; want %d, %q", test.args, status, got, err, message, test.status, test.want)
		}
	}
	if names, err := filepath.Glob("*"); err != nil || len(names) != 2 {
		t.Errorf("left %v, %v", names, err)
	}
}
