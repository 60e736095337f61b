package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/python"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// readColumns writes each Arrow and Parquet file of a list as lines of JSON. Floats are written as thresh does.
const readColumns = `
import decimal, json, sys
import pyarrow as pa, pyarrow.parquet as pq
def text(v):
    if isinstance(v, float):
        if abs(v) == float("inf"):
            return '"+Inf"' if v > 0 else '"-Inf"'
        plain = v == 0 or 1e-6 <= abs(v) < 1e21
        return format(decimal.Decimal(repr(v)), "f").removesuffix(".0") if plain else repr(v)
    return str(v) if isinstance(v, decimal.Decimal) else json.dumps(v)
for name in json.load(sys.stdin):
    table = pq.read_table(name) if name.endswith("parquet") else pa.ipc.open_file(name).read_all()
    with open(name + ".ndjson", "w") as f:
        for row in table.to_pylist():
            f.write("{" + ", ".join(json.dumps(k) + ": " + text(v) for k, v in row.items()) + "}\n")
`

// recordQuestions are about records with the columns a and b of texts, n of numbers and t of times.
var recordQuestions = [][]string{
	{"--rows", "--agg", "count(a),distinct(a),min(a),max(a),first(a),last(a),mode(a),approx_distinct(a),count(t),distinct(t),min(t),max(t)," +
		"first(t),last(t),mode(t),sum(n),mean(n),median(n),p90(n),min(n),max(n),first(n),last(n),stddev(n),distinct(n),mode(n)",
		"--group", "a", "--group", "a,b", "--agg", "count,count(n),sum(n),distinct(t),min(t),max(t)", "--top", "3:b"},
	{"--group", "n * 2 as x", "--group", "a[1:3] as x", "--group", "length(a),b", "--sort", "key desc", "--group", "lower(b) as x,year(t) as y",
		"--sort", "x desc", "--group", "a", "--agg", "max(n),count", "--sort", "max(n) desc", "--having", "not (max(n) < 1)"},
	{"--where", "a is null or b = ''", "--rows", "--group", "b"},
	{"--where", "not (n > 5)", "--rows", "--group", "a"},
	{"--where", "a != 'x' and not (b in ('', 'y'))", "--rows", "--group", "b,a"},
	{"--where", "not (n in (1, 2.50)) or a ~ '^ *$'", "--rows", "--group", "n"},
	{"--where", "t < '2026-02-01' or a < b or n = t", "--rows", "--group", "t"},
}

// answerQuestions are about answers with the keys a and b and the aggregates s, m and e.
var answerQuestions = [][]string{
	{"--rows", "--group", "a", "--group", "b", "--agg", "sum(s),max(m),count(s),count(m),min(e),distinct(e)"},
	{"--where", "s is null or not (m > 0)", "--rows"}, {"--where", "e = ''", "--group", "a,b"},
}

// TestOwnOutput asks questions of tables and of what thresh has written of them, in each format: the records, and
// answers about them. The answers are equal.
func TestOwnOutput(t *testing.T) {
	interpreter := python.Interpreter(t, "pyarrow")
	folder := t.TempDir()
	var columnar []string
	type copied struct {
		original  string
		questions [][]string
		copies    []string
	}
	var all []copied
	written := func(of string, questions [][]string, command ...string) {
		c := copied{original: of, questions: questions}
		for _, ending := range []string{"csv", "ndjson", "arrow", "parquet"} {
			name := fmt.Sprintf("copy%d.%s", len(all), ending)
			format := []string{"-o", name}
			if ending == "ndjson" {
				format = append(format, "--format", "json")
			}
			askTable(t, folder, of, append(slices.Clone(command), format...))
			if ending == "arrow" || ending == "parquet" {
				columnar = append(columnar, name)
				name += ".ndjson"
			}
			c.copies = append(c.copies, name)
		}
		if len(c.questions) == len(answerQuestions) { // the answer itself is no table of the kind: compare the copies
			c.original = c.copies[0]
		}
		all = append(all, c)
	}
	for seed := range rounds.Of(8) {
		r := rand.New(rand.NewPCG(uint64(seed), 30))
		name := fmt.Sprintf("table%d.%s", seed, []string{"csv", "ndjson"}[seed%2])
		if err := os.WriteFile(filepath.Join(folder, name), oddTable(r, seed%2 == 1), 0o600); err != nil {
			t.Fatal(err)
		}
		written(name, recordQuestions, "--select", "a,b,n,t")
		written(name, answerQuestions, "--group", "a,b", "--agg", "sum(n) as s,mean(n) as m,max(t) as e")
	}
	list, err := json.Marshal(columnar)
	if err != nil {
		t.Fatal(err)
	}
	read := exec.Command(interpreter, "-c", readColumns)
	read.Dir, read.Stdin = folder, bytes.NewReader(list)
	if out, err := read.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range all {
		for _, q := range c.questions {
			want := askTable(t, folder, c.original, q)
			for _, name := range c.copies {
				if got := askTable(t, folder, name, q); got != want {
					data, _ := os.ReadFile(filepath.Join(folder, c.original))
					at := 0
					for at < min(len(got), len(want)) && got[at] == want[at] {
						at++
					}
					t.Fatalf("%q: of %s %.200q, of %s %.200q, from byte %d on; the table: %q", q, name, got[at:], c.original, want[at:], at, data)
				}
			}
		}
	}
}

// askTable returns what table answers about a file, as lines of JSON.
func askTable(t *testing.T, folder, name string, question []string) string {
	t.Helper()
	args := append([]string{"table", name}, question...)
	if strings.HasSuffix(name, ".csv") {
		args = append(args, "--header")
	}
	if !slices.Contains(args, "-o") {
		args = append(args, "--format", "json")
	}
	c := exec.Command("thresh", args...)
	var errs bytes.Buffer
	c.Dir, c.Stderr = folder, &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, errs.Bytes())
	}
	return string(out)
}

// oddTable returns a table with nulls, empty texts, spaces, quotes, numbers and times in odd notations, and odd
// characters, as CSV or as lines of JSON.
func oddTable(r *rand.Rand, lines bool) []byte {
	const null = "\x00"
	texts := []string{null, "", " ", "  ", "x", "y", "X", `"`, `""`, "a,b", "a\nb", "\r", "null", "é", "e\u0301", "\ufffd", "\u2028",
		"日本", "\U0001f986", "\ufeff", "'", "`", `\`, "-", "NaN", "0", "00", "1e3", "x ", "\t", "\u0130", "\x7f"}
	numbers := []string{null, "", "0", "-0", "1", "01", "1.0", "2.50", "1e2", "-3E-2", "0e0", "+7", ".5", "5.", "123456789012345678901234567890", " 4 ",
		"1e400", "x", "0.1", "1e-1", "0.30000000000000004", "9007199254740993", "1e-9", "+Inf"}
	times := []string{null, "2026-01-31", "2026-02-01T00:30:00+01:00", "2026-01-31T23:30:00Z", "2026-01-31 23:30", "2026-01-31T23:30:00.250Z",
		"2026-01-31T23:30:00.2500000001-07:30", "2025-12-31t23:59:60z", "2026-02-29", ""}
	numbers, times = numbers[:2+r.IntN(len(numbers)-1)], times[:2+r.IntN(len(times)-1)]
	var b bytes.Buffer
	if !lines {
		b.WriteString("a,b,n,t\n")
	}
	for range 1 + r.IntN(80) {
		record := []string{texts[r.IntN(len(texts))], texts[r.IntN(len(texts))], numbers[r.IntN(len(numbers))], times[r.IntN(len(times))]}
		var parts []string
		for i, f := range record {
			switch key, _ := json.Marshal("abnt"[i : i+1]); {
			case lines && f == null && r.IntN(2) == 0: // a missing key
			case lines && f == null:
				parts = append(parts, string(key)+":null")
			case lines && i == 2 && f != "" && json.Valid([]byte(f)) && r.IntN(2) == 0:
				parts = append(parts, string(key)+":"+f)
			case lines:
				text, _ := json.Marshal(f)
				parts = append(parts, string(key)+":"+string(text))
			case f == null:
				parts = append(parts, "")
			case f == "" || strings.ContainsAny(f, "\",\r\n") || r.IntN(5) == 0:
				parts = append(parts, `"`+strings.ReplaceAll(f, `"`, `""`)+`"`)
			default:
				parts = append(parts, f)
			}
		}
		open, closed := "", ""
		if lines {
			open, closed = "{", "}"
		}
		b.WriteString(open + strings.Join(parts, ",") + closed + "\n")
	}
	return b.Bytes()
}
