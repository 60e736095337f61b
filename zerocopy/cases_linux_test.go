package zerocopy_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/thresh-dev/thresh/zerocopy"
)

// childOf names the folder for the cases. If it is set, the test binary runs them.
const childOf = "ZEROCOPY_CASES"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childOf); dir != "" {
		runCases(dir)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// column is a column of the table in doc.go.
type column string

const (
	standard column = "io.Copy"
	ours     column = "Copy"
)

// outcome is what the child reports about a case; the system calls come from strace.
type outcome struct {
	Case   string
	Column column
	Bytes  int64
	Path   string // the method that Path returned; empty if it was not called
	Reason string

	Digest string // of the bytes that arrived
	Want   string // of the bytes that the source has, if the case has plain ends

	Advice string // the constant of the reason whose advice this copy follows
	Number int    // of the advice
}

// TestTable runs every case of the table under strace and checks the table, and Path, against the
// system calls.
func TestTable(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal("strace is missing: scripts/test-setup.sh installs it")
	}
	want := documented(t)
	dir := t.TempDir()
	log := filepath.Join(dir, "calls")
	cmd := exec.CommandContext(t.Context(), strace, "-f", "-qq", "--seccomp-bpf", "-s", "200", "-o", log,
		"-e", "trace=sendfile,splice,copy_file_range,openat", os.Args[0])
	cmd.Env = append(os.Environ(), childOf+"="+dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the cases: %v\n%s\n%s", err, out, stderr.String())
	}
	calls := counted(t, log)
	var have []string
	followed := map[string][]int{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var o outcome
		if err := d.Decode(&o); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("what the cases say: %v\n%s", err, out)
		}
		if o.Digest != o.Want && o.Want != "" {
			t.Errorf("%s, %s: %s arrived of %s", o.Case, o.Column, o.Digest, o.Want)
		}
		if o.Advice != "" {
			seen := calls[key(o.Case, o.Column)].method(o.Bytes)
			t.Logf("%-45s %-8s %-16s as %s advises", o.Case, o.Column, seen, o.Advice)
			if seen == "copy" {
				t.Errorf("%s, %s: a copy, although it follows %s", o.Case, o.Column, o.Advice)
			}
			followed[o.Advice] = append(followed[o.Advice], o.Number)
			continue
		}
		have = append(have, o.Case)
		row, ok := want[o.Case]
		if !ok {
			t.Errorf("%s: no row of the table", o.Case)
			continue
		}
		expected, seen := row[o.Column], calls[key(o.Case, o.Column)].method(o.Bytes)
		if seen != expected {
			t.Errorf("%s, %s: went by %s, the table says %s: %d bytes, %v",
				o.Case, o.Column, seen, expected, o.Bytes, calls[key(o.Case, o.Column)])
		}
		if o.Path != "" && o.Path != seen && !(unsure(o.Reason) && slices.Contains(unpredicted[o.Column], o.Case)) {
			t.Errorf("%s, %s: went by %s, Path says %s (%s)", o.Case, o.Column, seen, o.Path, o.Reason)
		}
		if o.Path == "copy" && o.Reason == "" {
			t.Errorf("%s, %s: Path gives no reason for the copy", o.Case, o.Column)
		}
		t.Logf("%-45s %-8s %-16s %s", o.Case, o.Column, seen, o.Reason)
	}
	for name := range want {
		if !slices.Contains(have, name) {
			t.Errorf("%s: a row of the table without a case", name)
		}
	}
	checkAdvice(t, followed)
}

// unsure reports whether Path says that its answer is only likely.
func unsure(reason string) bool {
	return strings.HasPrefix(reason, "it depends on ") || strings.HasSuffix(reason, "zerocopy.NewListener, unless it is") ||
		strings.HasPrefix(reason, "a body without Content-Length")
}

// unpredicted are the copies that go another way than Path takes for likely: it cannot look into the source or the
// destination.
var unpredicted = map[column][]string{
	standard: {
		"tcp <- io.MultiReader(header, file)", "tcp <- bufio.Reader(file)", "tcp <- io.NopCloser(file)",
		"tcp <- reader that forwards WriteTo", "tcp <- bufio.Reader(tcp)",
		"io.Copy(w, file), HTTP/1.0", "TLS", "unix listener", "listener that wraps connections",
	},
	ours: {
		"ServeContent(io.SectionReader)", "ServeContent(ReadSeeker(file))", "ServeContent(Section)",
		"io.Copy(w, file), HTTP/1.0", "TLS", "listener that wraps connections",
	},
}

// documented reads the table of doc.go: the methods of each case, by column.
func documented(t *testing.T) map[string]map[column]string {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^//\t(.*?\S)  +(copy|sendfile|splice|copy_file_range)  +(copy|sendfile|splice|copy_file_range)  +\S`)
	rows := map[string]map[column]string{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		rows[m[1]] = map[column]string{standard: m[2], ours: m[3]}
	}
	if len(rows) < 50 {
		t.Fatalf("only %d rows in doc.go", len(rows))
	}
	return rows
}

// callBytes maps the names of system calls to the bytes that they returned.
type callBytes map[string]int64

// method returns the method of most of the n bytes.
func (y callBytes) method(n int64) string {
	for name, bytes := range y {
		if bytes >= n*3/4 && n > 0 {
			return name
		}
	}
	return "copy"
}

func key(name string, c column) string { return string(c) + "/" + name }

// counted reads strace's log. A case begins with the open of a file that does not exist and ends where the
// next one begins: a server's last call may return after its client has read all bytes. strace may split
// a call over two lines.
func counted(t *testing.T, log string) map[string]callBytes {
	t.Helper()
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	call := regexp.MustCompile(`(?:^\d+ +|<\.\.\. )(\w+)(?:\(| resumed>).*= (\d+)(?: |$)`)
	begin := regexp.MustCompile(`openat\(.*/begin (.*)", `)
	all := map[string]callBytes{}
	current := ""
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if m := begin.FindStringSubmatch(lines.Text()); m != nil {
			current = strings.ReplaceAll(m[1], "|", "/")
			all[current] = callBytes{}
			continue
		}
		if m := call.FindStringSubmatch(lines.Text()); m != nil && current != "" && m[1] != "openat" {
			n, err := strconv.ParseInt(m[2], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			all[current][m[1]] += n
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// endsCase is a copy between two ends.
type endsCase struct {
	name string
	ends func(*stage) (io.Writer, io.Reader)
}

// A copying makes one copy and returns what Path says about it.
type copying func(*stage) (int64, zerocopy.Route, error)

func runCases(dir string) {
	enc := json.NewEncoder(os.Stdout)
	run := func(o outcome, copying copying) outcome {
		s := &stage{dir: dir}
		os.Open(filepath.Join(dir, "begin "+strings.ReplaceAll(key(o.Case, o.Column), "/", "|")))
		n, route, err := copying(s)
		s.strike() // waits for a server's calls
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s, %s: %v\n", o.Case, o.Column, err)
			os.Exit(1)
		}
		o.Bytes, o.Reason, o.Digest = n, route.Reason, s.digest()
		if route != (zerocopy.Route{}) {
			o.Path = route.Method.String()
		}
		if strings.Contains(o.Case, "/proc") {
			o.Bytes, o.Digest = 1000, "" // they change
		}
		if err := enc.Encode(o); err != nil {
			panic(err)
		}
		return o
	}
	for _, c := range endsCases {
		want := wanted(dir, c)
		for _, col := range []column{standard, ours} {
			o := run(outcome{Case: c.name, Column: col, Want: want}, c.with(col))
			advised(o.Reason, func(name string, number int, a advice) {
				if a.ends != nil {
					run(outcome{Case: fmt.Sprint(c.name, ", advice ", number), Column: col, Advice: name, Number: number}, a.follow(c, col))
				}
			})
		}
	}
	s := &stage{dir: dir}
	reason := zerocopy.Path(bufferedCase.ends(s)).Reason
	s.strike()
	advised(reason, func(name string, number int, a advice) {
		run(outcome{Case: bufferedCase.name, Column: standard, Advice: name, Number: number}, a.follow(bufferedCase, standard))
	})
	for _, c := range responseCases {
		for _, col := range []column{standard, ours} {
			o := run(outcome{Case: c.name, Column: col}, func(s *stage) (int64, zerocopy.Route, error) { return c.get(s, col) })
			advised(o.Reason, func(name string, number int, a advice) {
				if a.response != nil {
					changed, col := a.response(c, col)
					run(outcome{Case: fmt.Sprint(c.name, ", advice ", number), Column: col, Advice: name, Number: number},
						func(s *stage) (int64, zerocopy.Route, error) { return changed.get(s, col) })
				}
			})
		}
	}
}

// with is the copy of a column.
func (c endsCase) with(col column) copying {
	if col == standard {
		return func(s *stage) (int64, zerocopy.Route, error) {
			dst, src := c.ends(s)
			route := zerocopy.Path(dst, src)
			n, err := io.Copy(dst, src)
			return n, route, err
		}
	}
	return func(s *stage) (int64, zerocopy.Route, error) {
		dst, src := c.ends(s)
		route := zerocopy.CopyPath(dst, src)
		r, err := zerocopy.Copy(dst, src)
		for m, n := range r.Bytes {
			if n > 0 && n > r.Total()*3/4 && zerocopy.Method(m) != route.Method {
				if !unsure(route.Reason) {
					err = errors.Join(err, fmt.Errorf("Result %+v, path %v", r, route))
				}
				route = zerocopy.Route{Method: zerocopy.Method(m), Reason: r.Reason}
			}
		}
		if (r.Reason == "") != (r.Bytes[zerocopy.ByCopy] == 0) {
			err = errors.Join(err, fmt.Errorf("Result %+v, reason %q", r, r.Reason))
		}
		return r.Total(), route, err
	}
}

// wanted returns the digest of what the source of a case has, read by Read alone.
func wanted(dir string, c endsCase) string {
	s := &stage{dir: dir}
	defer s.strike()
	_, src := c.ends(s)
	sum := sha256.New()
	must(io.Copy(sum, struct{ io.Reader }{src}))
	if strings.Contains(c.name, "/proc") {
		return ""
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}
