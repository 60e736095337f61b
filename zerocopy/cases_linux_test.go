package zerocopy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
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
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var o outcome
		if err := d.Decode(&o); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("what the cases say: %v\n%s", err, out)
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
		if o.Path != "" && o.Path != seen {
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

func runCases(dir string) {
	enc := json.NewEncoder(os.Stdout)
	run := func(name string, c column, copying func(*stage) (int64, zerocopy.Route, error)) {
		s := &stage{dir: dir}
		os.Open(filepath.Join(dir, "begin "+strings.ReplaceAll(key(name, c), "/", "|")))
		n, route, err := copying(s)
		s.strike() // waits for a server's calls
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s, %s: %v\n", name, c, err)
			os.Exit(1)
		}
		o := outcome{Case: name, Column: c, Bytes: n, Reason: route.Reason}
		if route != (zerocopy.Route{}) {
			o.Path = route.Method.String()
		}
		if err := enc.Encode(o); err != nil {
			panic(err)
		}
	}
	for _, c := range endsCases {
		run(c.name, standard, func(s *stage) (int64, zerocopy.Route, error) {
			dst, src := c.ends(s)
			route := zerocopy.Path(dst, src)
			n, err := io.Copy(dst, src)
			return n, route, err
		})
		run(c.name, ours, func(s *stage) (int64, zerocopy.Route, error) {
			dst, src := c.ends(s)
			route := zerocopy.CopyPath(dst, src)
			r, err := zerocopy.Copy(dst, src)
			for m, n := range r.Bytes {
				if n > 0 && n > r.Total()*3/4 && zerocopy.Method(m) != route.Method {
					err = errors.Join(err, fmt.Errorf("Result %v, path %v", r, route))
				}
			}
			return r.Total(), route, err
		})
	}
	for _, c := range responseCases {
		for _, col := range []column{standard, ours} {
			run(c.name, col, func(s *stage) (int64, zerocopy.Route, error) { return c.get(s, col) })
		}
	}
}

// stage makes the ends of a case, and removes them.
type stage struct {
	dir   string
	doors []func()

	// The results of a handler.
	route    zerocopy.Route
	uploaded int64
}

func (s *stage) strike() {
	for _, door := range slices.Backward(s.doors) {
		door()
	}
}

const (
	fileBytes = 4 << 20
	feedBytes = 1 << 20
)

// file returns an open file of 4 MiB.
func (s *stage) file() *os.File {
	path := filepath.Join(s.dir, "data")
	if _, err := os.Stat(path); err != nil {
		if err := os.WriteFile(path, make([]byte, fileBytes), 0o600); err != nil {
			panic(err)
		}
	}
	return s.keep(must(os.Open(path)))
}

func (s *stage) keep(f *os.File) *os.File {
	s.doors = append(s.doors, func() { f.Close() })
	return f
}

// target returns a file to write to.
func (s *stage) target(flags int) *os.File {
	return s.keep(must(os.OpenFile(filepath.Join(s.dir, "target"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|flags, 0o600)))
}

func (s *stage) connect(network string) (near, far net.Conn) {
	addr := "127.0.0.1:0"
	if network == "unix" {
		addr = filepath.Join(s.dir, "s")
	}
	l := must(net.Listen(network, addr))
	defer l.Close()
	near = must((&net.Dialer{}).DialContext(context.Background(), network, l.Addr().String()))
	far = must(l.Accept())
	s.doors = append(s.doors, func() { near.Close(); far.Close() })
	return near, far
}

// sink returns a connection whose peer reads everything.
func (s *stage) sink(network string) net.Conn {
	near, far := s.connect(network)
	go io.Copy(io.Discard, struct{ io.Reader }{far})
	return near
}

func (s *stage) tcp() *net.TCPConn   { return s.sink("tcp").(*net.TCPConn) }
func (s *stage) unix() *net.UnixConn { return s.sink("unix").(*net.UnixConn) }

// feed returns a connection that receives 1 MiB.
func (s *stage) feed(network string) net.Conn {
	near, far := s.connect(network)
	go func() {
		far.Write(make([]byte, feedBytes))
		far.Close()
	}()
	return near
}

func (s *stage) feedTCP() *net.TCPConn { return s.feed("tcp").(*net.TCPConn) }
