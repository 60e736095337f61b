package donations

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/gen"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/peer"
)

func file(t testing.TB, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "donations")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func generated(t testing.TB, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gen.Donations(&b, size, 1); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// expressions match the most common first name as the rules do: byCut misses it after two spaces.
var expressions = map[rule]*regexp.Regexp{
	byQuestion:   regexp.MustCompile(`, *([^, ]+)`),
	byExpression: regexp.MustCompile(`, \s*([^, ]+)`),
	byCut:        regexp.MustCompile(`, ([^, ]+)`),
}

// simple answers like an awk program: it splits each line at the bars and counts in maps.
func simple(content []byte, by rule) Answer {
	a := Answer{Months: map[string]int64{}}
	counts := map[string]int64{}
	for line := range strings.Lines(string(content)) {
		fields := strings.Split(strings.TrimRight(line, "\r\n"), "|")
		for i, row := range Rows {
			if int64(row) == a.Lines {
				a.Names[i] = strings.TrimSpace(fields[7])
			}
		}
		a.Lines++
		a.Months[fields[4][:6]]++
		if by == linesOnly {
			continue
		}
		if m := expressions[by].FindStringSubmatch(fields[7]); m != nil {
			counts[m[1]]++
		}
	}
	for name, n := range counts {
		if n > a.FirstCount {
			a.First, a.FirstCount = name, n
		}
	}
	return a
}

// runnable returns the variants that run here, with or without those that lose lines.
func runnable(t *testing.T, buggy bool) (variants []lab.Variant) {
	for _, v := range Experiment().Variants {
		if missing := v.Missing(); missing != "" {
			t.Logf("%s: %s", v.ID, missing)
			continue
		}
		if buggy || v.ID != "donations/rev2-bug" {
			variants = append(variants, v)
		}
	}
	return variants
}

func runVariant(t *testing.T, v lab.Variant, path string) (lab.Outcome, error) {
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return v.Run(context.Background(), lab.Task{
		Variant: v.ID, Path: path, Bytes: info.Size(), Folder: t.TempDir(), Setting: v.Settings[0],
	})
}

func TestVariantsAgree(t *testing.T) {
	cache(t)
	missing := filepath.Join(t.TempDir(), "none")
	for _, v := range runnable(t, true) {
		if o, err := v.Run(context.Background(), lab.Task{Path: missing, Folder: t.TempDir()}); err == nil {
			t.Errorf("%s: got the answer %q for a missing file", v.ID, o.Answer)
		}
	}
	for _, size := range []int64{500_000, 13_000_000} { // a part of a chunk, and more than one
		path := filepath.Join(t.TempDir(), "donations")
		want, err := write(context.Background(), path, size)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range runnable(t, false) {
			o, err := runVariant(t, v, path)
			if err != nil {
				t.Fatalf("%s: %v", v.ID, err)
			}
			if o.Answer != v.WantOf(want) {
				t.Errorf("%s of %d bytes: got\n%swant\n%s", v.ID, size, o.Answer, v.WantOf(want))
			}
			if o.Seconds <= 0 || o.Items == 0 || o.Bytes == 0 {
				t.Errorf("%s of %d bytes: outcome %+v", v.ID, size, o)
			}
			if strings.Contains(v.ID, "/rev") && (o.Memory == nil || o.Memory.TotalAllocBytes < uint64(size)/8) {
				t.Errorf("%s of %d bytes: memory %+v", v.ID, size, o.Memory)
			}
		}
	}
}

// cache lets Java classes be compiled once for all tests, in a folder that is removed.
func cache(t *testing.T) {
	real, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	// The interpreter with DuckDB and Polars lies in the real cache folder.
	if err := os.MkdirAll(filepath.Join(folder, "thresh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(real, "thresh", "venv"), filepath.Join(folder, "thresh", "venv")); err != nil {
		t.Logf("no interpreter of bench-setup: %v", err)
	}
	t.Setenv("XDG_CACHE_HOME", folder)
}

func TestInputAnswers(t *testing.T) {
	content := generated(t, 5_000_000)
	got, err := answers(file(t, content))
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range rules {
		if want := simple(content, by).text(by); by.want(got) != want {
			t.Errorf("by %s: got\n%swant\n%s", by, by.want(got), want)
		}
	}
	if want := simple(content, linesOnly).linesText(); linesOnly.want(got) != want {
		t.Errorf("lines: got %q, want %q", linesOnly.want(got), want)
	}
	if text, err := answers(file(t, []byte(row("DOE, JANE")+"\n"+row("DOE, JOHN")+"\n"))); err == nil {
		t.Errorf("two equally common first names: got %q, want an error", text)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if text, err := write(ctx, filepath.Join(t.TempDir(), "donations"), 1_000_000); err == nil {
		t.Errorf("cancelled: got %q, want an error", text)
	}
}

// row returns a donation with a name.
func row(name string) string { return "C|N|Q1|P|201712310000000000|15|IND|" + name + "|CITY|" }

func rows(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "C|N|Q1|P|2017%02d310000000000|15|IND|DOE %d, JANE %d|CITY|\n", 1+i%12, i, i%7)
	}
	return b.Bytes()
}

// TestBorders asks all programs about files whose lines end with a chunk, or just before or behind one.
func TestBorders(t *testing.T) {
	shrink(t, &chunkLines, 5)
	shrink(t, &blockBytes, 70)
	for _, n := range []int{0, 1, 2, 4, 5, 6, 9, 10, 11, 14, 15, 16, 432, 433, 434} {
		whole := rows(n)
		for what, content := range map[string][]byte{
			"whole":     whole,
			"no end":    bytes.TrimSuffix(whole, []byte("\n")),
			"CR and LF": bytes.ReplaceAll(whole, []byte("\n"), []byte("\r\n")),
		} {
			name := file(t, content)
			for _, r := range Revisions() {
				if r.procs > 0 || r.ID == "rev2-bug" {
					continue
				}
				want := simple(content, r.by)
				if r.by == linesOnly {
					want = Answer{Lines: want.Lines}
				}
				if got, err := r.Answer(name); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s of %d lines, %s: %v, %v, want %v", r.ID, n, what, got, err, want)
				}
			}
		}
	}
}

// shrink makes a size smaller for a test.
func shrink(t *testing.T, size *int, n int) {
	whole := *size
	*size = n
	t.Cleanup(func() { *size = whole })
}

func TestRev2Bug(t *testing.T) {
	const chunk = 7
	shrink(t, &chunkLines, chunk)
	for _, c := range []struct{ lines, want int }{
		{0, 0}, {1, 0}, {chunk - 1, 0}, {chunk, chunk}, {chunk + 1, chunk}, {3*chunk - 1, 2 * chunk}, {3 * chunk, 3 * chunk},
	} {
		content := rows(c.lines)
		got, err := Rev2Bug(file(t, content))
		if err != nil || got.Lines != int64(c.want) {
			t.Errorf("of %d lines it counts %d, %v, want %d", c.lines, got.Lines, err, c.want)
		}
		if months := len(got.Months); months != min(c.want, 12) {
			t.Errorf("of %d lines it has %d months", c.lines, months)
		}
		right := simple(content, byExpression).text(byExpression)
		if c.lines > chunk && c.lines%chunk == 0 {
			continue // its names come in any order
		}
		if wrong := got.text(byExpression) != right; wrong != (c.lines%chunk != 0) {
			t.Errorf("of %d lines the answer is wrong: %v", c.lines, wrong)
		}
	}
}

// TestNoGC has enough memory, and too little.
func TestNoGC(t *testing.T) {
	path := file(t, generated(t, 4_000_000))
	want, err := Rev9(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, enough := range []func(string) (Answer, error){
		NoGC, func(path string) (Answer, error) { return withoutCollections(path, 0) },
	} {
		if a, err := enough(path); err != nil || a.text(byCut) != want.text(byCut) {
			t.Errorf("%+v, error %v", a, err)
		}
	}
	if a, err := withoutCollections(path, 1<<20); !errors.Is(err, errCollected) || !strings.Contains(err.Error(), "1.0 MiB") {
		t.Errorf("%+v, error %v, want %v", a, err, errCollected)
	}
	if _, err := withoutCollections(path+"x", 1<<20); errors.Is(err, errCollected) || err == nil {
		t.Errorf("error %v of a file that is not there", err)
	}
	if limit := debug.SetMemoryLimit(-1); limit < 1<<40 {
		t.Errorf("a limit of %d bytes was left", limit)
	}
}

func TestSectionsAtEveryLength(t *testing.T) {
	lengths := []int{433, 434}
	for i := range 60 { // no lines at first, and a row that is asked for as the first of the second section
		lengths = append(lengths, i, 2*Rows[1]-20+i)
	}
	for _, n := range lengths {
		content := rows(n)
		want := simple(content, byCut)
		if got, err := Sections(file(t, content)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d lines: %v, %v, want %v", n, got, err, want)
		}
	}
	long := []byte("\n" + strings.Repeat("x", 10_000) + "\n\nab")
	for off := range int64(len(long) + 1) {
		f, err := os.Open(file(t, long))
		if err != nil {
			t.Fatal(err)
		}
		want := int64(0)
		if off > 0 {
			want = int64(len(long))
			if end := bytes.IndexByte(long[off-1:], '\n'); end >= 0 {
				want = off + int64(end)
			}
		}
		got, err := lineAfter(f, off)
		if err != nil || got != want {
			t.Fatalf("the first line behind %d begins at %d, %v, want %d", off, got, err, want)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if off == 20 {
			break
		}
	}
}

func TestBlocks(t *testing.T) {
	for _, text := range []string{"", "a", "a\n", "\n", "\n\n", "ab\ncd", "ab\ncd\n", "abcdefghij\nk\n", "abcdefghijklmnopqrstuvwxyz"} {
		for size := 1; size < 12; size++ {
			sent := make(chan *block, 100)
			all, err := readBlocks(strings.NewReader(text), size, sent, nil)
			close(sent)
			var joined []byte
			for i, b := range all {
				joined = append(joined, b.text...)
				if i < len(all)-1 && !bytes.HasSuffix(b.text, []byte("\n")) {
					t.Errorf("%q by %d: block %q has no line feed at its end", text, size, b.text)
				}
				if <-sent != b {
					t.Errorf("%q by %d: block %d was not sent", text, size, i)
				}
			}
			if err != nil || string(joined) != text {
				t.Errorf("%q by %d: got %q, %v", text, size, joined, err)
			}
		}
	}
	failing := &failingReader{text: "abc\ndef"}
	if all, err := readBlocks(failing, 4, make(chan *block, 10), nil); err == nil || len(all) != 1 {
		t.Errorf("read error: %d blocks, %v", len(all), err)
	}
}

// failingReader has an error behind its text.
type failingReader struct{ text string }

func (f *failingReader) Read(p []byte) (int, error) {
	if f.text == "" {
		return 0, os.ErrInvalid
	}
	n := copy(p, f.text)
	f.text = f.text[n:]
	return n, nil
}

func TestFirstNames(t *testing.T) {
	for _, c := range []struct{ name, question, expression, rev7, rev8, rev9 string }{
		{"DOE, JANE", "JANE", "JANE", "JANE", "JANE", "JANE"},
		{"DOE, JANE A.", "JANE", "JANE", "JANE", "JANE", "JANE"},
		{"DOE, JANE, MD", "JANE", "JANE", "JANE", "JANE", "JANE"},
		{"DOE, JANE,MD X", "JANE", "JANE", "JANE", "JANE,MD", "JANE"},
		{" DOE, JANE ", "JANE", "JANE", "JANE", "JANE", "JANE"},
		{"DOE,  JANE", "JANE", "JANE", " JANE", "", ""},
		{"DOE, , JANE", "JANE", "JANE", "JANE", "", ","},
		{"DOE,JANE", "JANE", "", "", "OE,JANE", "OE"},
		{"DOE,MD, JANE", "MD", "JANE", "JANE", "JANE", "JANE"},
		{"ACME FUND", "", "", "", "CME", "CME"},
		{"", "", "", "", "", ""},
	} {
		name := file(t, []byte(row(c.name)+"\n"))
		for _, r := range Revisions() {
			if r.by == linesOnly || r.ID == "rev2-bug" {
				continue
			}
			want := map[rule]string{byExpression: c.expression, byCut: c.rev9}[r.by]
			switch r.ID {
			case "rev7":
				want = c.rev7
			case "rev8":
				want = c.rev8
			}
			if c.name == "DOE, , JANE" && r.ID == "idiomatic" {
				want = "" // it takes the word behind the first comma and space
			}
			got, err := r.Answer(name)
			if err != nil || got.First != want || got.Names[0] != strings.TrimSpace(c.name) {
				t.Errorf("%s: first name of %q is %q, %v; want %q", r.ID, c.name, got.First, err, want)
			}
		}
		for by, want := range map[rule]string{byQuestion: c.question, byExpression: c.expression} {
			if got := by.firstName(strings.TrimSpace(c.name)); got != want {
				t.Errorf("by %s the first name of %q is %q, want %q", by, c.name, got, want)
			}
		}
	}
	for _, name := range []string{"DOE,  JANE", "ACME FUND", "DOE,JANE", ""} {
		if got := byCut.firstName(name); got != "" {
			t.Errorf("by %s the first name of %q is %q, want none", byCut, name, got)
		}
	}
}

func TestErrors(t *testing.T) {
	shrink(t, &chunkLines, 7)
	long := strings.Repeat("x", 70_000)
	parsing := func(r Revision) bool { return r.by != linesOnly && r.ID != "rev2-bug" }
	lateError := append(rows(17), "a|b|c\n"...)
	for what, content := range map[string][]byte{
		"no name": []byte("a|b|c\n"), "a short month": []byte("a|b|c|d|2017|f|g|DOE, JANE|\n"), "a late error": lateError,
		"an early error": append([]byte("a|b|c\n"), rows(17)...),
	} {
		name := file(t, content)
		for _, r := range slices.DeleteFunc(Revisions(), func(r Revision) bool { return !parsing(r) }) {
			if got, err := r.Answer(name); err == nil {
				t.Errorf("%s: got the answer %v for %s, want an error", r.ID, got, what)
			}
		}
	}
	name := file(t, []byte(row("DOE, JANE")+"\n"+row(long)+"\n"))
	for _, r := range Revisions() {
		if got, err := r.Answer(name); err == nil && r.ID != "rev10" {
			t.Errorf("%s: got the answer %v for a long line, want an error", r.ID, got)
		}
	}
}

func TestParseAnswer(t *testing.T) {
	const text = "seconds: 1.5\nlines: 3\nname: DOE, JANE \nname: \nname: A\nmonth: 201701 2\nmonth: 201702 1\nfirst: MARY ANN 2\n"
	want := Answer{Lines: 3, Names: [3]string{"DOE, JANE", "", "A"}, Months: map[string]int64{"201701": 2, "201702": 1},
		First: "MARY ANN", FirstCount: 2}
	if got, seconds, err := parseAnswer(text); err != nil || seconds != 1.5 || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, %v", got, seconds, err)
	}
	for _, wrong := range []string{"lines: x\n", "seconds:\n", "month: 201701\n", "first: JOHN x\n", "hello\n", text + "name: B\n"} {
		if got, _, err := parseAnswer(wrong); err == nil {
			t.Errorf("%q: got %+v, want an error", wrong, got)
		}
	}
}

// TestPeerOutput parses what other programs print, also of an empty file and if it is not what it should be.
func TestPeerOutput(t *testing.T) {
	lines := func(n int64) Answer { return Answer{Lines: n} }
	for _, c := range []struct {
		parse   func(peer.Output) (Answer, float64, error)
		out     peer.Output
		want    Answer
		seconds float64
	}{
		{countOfLines, peer.Output{Stdout: "17 /tmp/a 3\n"}, lines(17), 0},
		{countOfLines, peer.Output{Stdout: "17\n"}, lines(17), 0},
		{countOfLines, peer.Output{Status: 1}, lines(0), 0},
		{answerOfText, peer.Output{Stdout: "lines: 2\n"}, Answer{Lines: 2, Months: map[string]int64{}}, 0},
		{answerOfScript, peer.Output{Stdout: `{"seconds": 2, "answer": {"Lines": 3, "Names": ["A", "", ""], ` +
			`"Months": {"201701": 3}, "First": "JO", "FirstCount": 2}}`}, Answer{Lines: 3, Names: [3]string{"A"},
			Months: map[string]int64{"201701": 3}, First: "JO", FirstCount: 2}, 2},
	} {
		if got, seconds, err := c.parse(c.out); err != nil || seconds != c.seconds || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: %+v, %g s, error %v", c.out, got, seconds, err)
		}
	}
	for text, parse := range map[string]func(peer.Output) (Answer, float64, error){
		"": countOfLines, "x 17": countOfLines, "hello": answerOfText, `{"seconds": 1, "answer": 3}`: answerOfScript,
		`{"seconds": 0}`: answerOfScript,
	} {
		if got, _, err := parse(peer.Output{Stdout: text}); err == nil {
			t.Errorf("%q: got %+v, want an error", text, got)
		}
	}
}

// TestProgramTimes: a program that timed itself is taken at its word; otherwise its process is timed.
func TestProgramTimes(t *testing.T) {
	if missing := peer.NotInstalled("sh", "sleep"); missing != "" {
		t.Skip(missing)
	}
	says := func(answer func(peer.Output) (Answer, float64, error), text string) program {
		return program{id: "p", by: linesOnly, answer: answer,
			exec: func(ctx context.Context, _ string) (peer.Output, error) {
				return peer.Run(ctx, 0, "sh", "-c", "sleep 0.05; echo '"+text+"'")
			}}
	}
	own, err := says(answerOfScript, `{"seconds": 0.001, "answer": {"Lines": 3}}`).run(context.Background(), lab.Task{Bytes: 9})
	if err != nil || own.Seconds != 0.001 || own.Items != 3 || own.Answer != "lines: 3\n" || own.Bytes != 9 {
		t.Errorf("%+v, error %v", own, err)
	}
	timed, err := says(countOfLines, "4").run(context.Background(), lab.Task{})
	if err != nil || timed.Seconds < 0.05 || timed.Items != 4 {
		t.Errorf("%+v, error %v", timed, err)
	}
}

// TestPeersOfShortFiles asks the other programs about files without rows 432 and 43243, and without lines.
func TestPeersOfShortFiles(t *testing.T) {
	full := func(name string) string { return row(name) + strings.Repeat("|", 11) + "\n" } // 21 fields
	for _, content := range []string{"", full("ACME FUND"), full("DOE, JANE") + full("ACME") + full("ROE,JANE A")} {
		path := file(t, []byte(content))
		for _, v := range peers() {
			if v.Missing() != "" {
				continue
			}
			by := byQuestion
			if v.ID == "donations/wc" || v.ID == "donations/rg" {
				by = linesOnly
			}
			o, err := runVariant(t, v, path)
			if strings.Contains(v.What, "Python") && content == "" {
				continue // they may refuse to read a table of nothing
			}
			if want := simple([]byte(content), by).text(by); err != nil || o.Answer != want {
				t.Errorf("%s of %q: %q, error %v; want %q", v.ID, content, o.Answer, err, want)
			}
		}
	}
}

func BenchmarkRevisions(b *testing.B) {
	content := generated(b, 50_000_000)
	name := file(b, content)
	for _, r := range Revisions() {
		if r.procs > 0 || r.share > 0 || r.ID == "rev2-bug" {
			continue
		}
		want := simple(content, r.by)
		if r.by == linesOnly {
			want = Answer{Lines: want.Lines}
		}
		b.Run(r.ID, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				if got, err := r.Answer(name); err != nil || !reflect.DeepEqual(got, want) {
					b.Fatalf("%v, %v", got, err)
				}
			}
		})
	}
}
