package walls

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/cgroup"
	"github.com/thresh-dev/thresh/internal/test/gen"
)

// data are the files that situations search.
type data struct {
	program string
	paths   map[string]string
}

// TestWalls runs the situations and holds the matrices to the thresholds.
func TestWalls(t *testing.T) {
	rounds, _ := strconv.Atoi(os.Getenv("THRESH_WALLS"))
	if rounds == 0 {
		t.Skip("THRESH_WALLS=N runs each situation N times; see make walls")
	}
	d := makeData(t, 1<<30)
	only := os.Getenv("THRESH_WALLS_ONLY")
	for _, beside := range []bool{false, true} {
		name := "quiet"
		if beside {
			name = "beside a busy neighbour"
		}
		t.Run(name, func(t *testing.T) {
			if beside {
				defer burn(t, 1)()
			}
			m, first := newMatrix(), newMatrix()
			for _, s := range situations {
				if only != "" && !strings.Contains(s.wall+"/"+s.name, only) {
					continue
				}
				workers := s.workers
				if workers == nil {
					workers = all
				}
				if s.again {
					first.add(t, &s, workers[0], beside, named(t, d, &s, workers[0]))
				}
				for _, n := range workers {
					for range rounds {
						m.add(t, &s, n, beside, named(t, d, &s, n))
					}
				}
			}
			t.Log("\n" + m.String() + "\nfirst questions:\n" + first.String())
			m.check(t, first)
		})
	}
}

// receipt is what a run says of itself.
type receipt struct {
	Seconds float64 `json:"seconds"`
	Wall    string  `json:"wall"`
	Verdict string  `json:"verdict"`
	Parts   []struct {
		Name  string  `json:"name"`
		Share float64 `json:"share"`
	} `json:"parts"`
	Evidence []string `json:"evidence"`
}

// first returns the largest part, beside a neighbour without what that took, unless it was to be found.
func (r *receipt) first(want string, beside bool) string {
	for _, p := range r.Parts {
		if !beside || p.Name == want || p.Name != "other programs" && p.Name != "the host" {
			return p.Name
		}
	}
	return r.Wall
}

// named runs a situation and returns its receipt.
func named(t *testing.T, d *data, s *situation, workers int) receipt {
	t.Helper()
	r, _ := namedBy(t, d, s, workers)
	return r
}

// namedBy is named of a command that others start. It also returns what the system counted.
func namedBy(t *testing.T, d *data, s *situation, workers int, prefix ...string) (receipt, counted) {
	t.Helper()
	if s.cold != "" {
		drop(t, d.paths[s.cold])
	}
	if s.burners > 0 {
		defer burn(t, s.burners)()
	}
	cmd := s.command(d, workers)
	if len(prefix) > 0 {
		cmd = exec.Command(prefix[0], append(prefix[1:], cmd.Args...)...)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	done := make(chan error, 2)
	waits := 0
	if s.input != nil {
		w, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		waits++
		go func() { done <- s.input(w) }()
	}
	if s.output != nil {
		r, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		waits++
		go func() { done <- s.output(r) }()
	} else {
		null, err := discard()
		if err != nil {
			t.Fatal(err)
		}
		defer null.Close()
		cmd.Stdout = null
	}
	if s.quota > 0 {
		limit(t, cmd, s.quota)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range waits {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("%s: %v\n%s", cmd, err, &stderr)
	}
	of := counted{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), time.Since(began)}
	var r receipt
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, &stderr)
	}
	return r, of
}

// burn starts busy neighbours, and returns what ends them.
func burn(t *testing.T, n int) (stop func()) {
	t.Helper()
	var cmds []*exec.Cmd
	for range n {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	return func() {
		for _, cmd := range cmds {
			cmd.Process.Kill()
			cmd.Wait() // an error, because of the kill
		}
	}
}

// limit starts the command in a control group of its own, which is removed at the end.
func limit(t *testing.T, cmd *exec.Cmd, percent int) {
	t.Helper()
	own, err := cgroup.Find()
	if err != nil || os.Geteuid() != 0 {
		t.Skipf("no control group can be made: %v", err)
	}
	dir, err := os.MkdirTemp(own.Dir, "thresh-walls-")
	if err != nil {
		t.Skipf("no control group can be made: %v", err)
	}
	t.Cleanup(func() {
		if err := os.Remove(dir); err != nil {
			t.Error(err)
		}
	})
	// Among other programs the group gets all of its quota.
	files := map[string]string{"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": strconv.Itoa(percent * 1000),
		"cpu.shares": "262144"}
	if own.Version == 2 {
		files = map[string]string{"cpu.max": strconv.Itoa(percent*1000) + " 100000", "cpu.weight": "10000"}
	}
	for name, value := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(value), 0); err != nil {
			t.Skipf("the control group takes no quota: %v", err)
		}
	}
	path, args := cmd.Path, cmd.Args[1:]
	cmd.Path = "/bin/sh"
	cmd.Args = append([]string{"sh", "-c", `echo $$ >"$0/cgroup.procs" && exec "$@"`, dir, path}, args...)
}

// drop removes a file from the page cache.
func drop(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)); err != nil {
		t.Fatal(err)
	}
}

func makeData(t *testing.T, size int64) *data {
	t.Helper()
	dir := t.TempDir()
	d := &data{program: filepath.Join(dir, "thresh"), paths: map[string]string{}}
	if out, err := exec.Command("go", "build", "-o", d.program, "github.com/thresh-dev/thresh/cmd/thresh").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	shm, err := os.MkdirTemp("/dev/shm", "thresh-walls-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(shm) })
	make := func(folder, name string, write func(io.Writer) error) {
		d.paths[name] = filepath.Join(folder, name)
		f, err := os.Create(d.paths[name])
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(write(f), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	log := func(w io.Writer) error { return gen.Log(w, size, 1) }
	make(dir, "log", log)
	make(dir, "part", func(w io.Writer) error { return gen.Log(w, size/8, 1) })
	make(dir, "quarter", func(w io.Writer) error { return gen.Log(w, size/4, 1) })
	make(dir, "zeros", blocks(size, 1<<20))
	make(dir, "pages", blocks(size, 4<<10))
	make(shm, "tmpfs", blocks(size/2, 4<<10))
	make(dir, "json", func(w io.Writer) error { return gen.JSON(w, size, 1) })
	make(dir, "small", func(w io.Writer) error { return gen.Log(w, 64<<10, 1) })
	make(dir, "gzip", func(w io.Writer) error {
		z := gzip.NewWriter(w)
		return errors.Join(gen.Log(z, size/4, 1), z.Close())
	})
	return d
}

// blocks writes zeros in blocks, whose size decides in which units the page cache holds them.
func blocks(size int64, blockBytes int) func(io.Writer) error {
	return func(w io.Writer) error {
		block := make([]byte, blockBytes)
		for written := int64(0); written < size; written += int64(blockBytes) {
			if _, err := w.Write(block); err != nil {
				return err
			}
		}
		return nil
	}
}

// matrix counts what was named for what was constructed.
type matrix struct {
	named               map[string]map[string]int
	right, mixed, wrong int // mixed: with the right part first
	problems            map[string]int
}

func newMatrix() *matrix {
	return &matrix{named: map[string]map[string]int{}, problems: map[string]int{}}
}

func (m *matrix) add(t *testing.T, s *situation, workers int, beside bool, r receipt) {
	row := m.named[s.wall]
	if row == nil {
		row = map[string]int{}
		m.named[s.wall] = row
	}
	first := r.first(s.wall, beside)
	named := first
	switch {
	case r.Wall == s.wall:
		m.right++
	case first == s.wall:
		m.mixed++
		named = "mixed, " + first + " first"
	default:
		m.wrong++
	}
	if row[named]++; named == s.wall {
		return
	}
	at := fmt.Sprintf("%s/%s, %d workers: %s", s.wall, s.name, workers, named)
	if m.problems[at]++; m.problems[at] == 1 {
		t.Logf("%s\n  %s\n  %s", at, r.Verdict, strings.Join(r.Evidence, "\n  "))
	}
}

func (m *matrix) String() string {
	var b strings.Builder
	for _, wall := range slices.Sorted(maps.Keys(m.named)) {
		fmt.Fprintf(&b, "%-16s", wall)
		for i, named := range slices.Sorted(maps.Keys(m.named[wall])) {
			if i > 0 {
				b.WriteByte(';')
			}
			fmt.Fprintf(&b, " %s %d", named, m.named[wall][named])
		}
		b.WriteByte('\n')
	}
	for _, p := range slices.Sorted(maps.Keys(m.problems)) {
		fmt.Fprintf(&b, "  %d × %s\n", m.problems[p], p)
	}
	n := float64(max(1, m.right+m.mixed+m.wrong))
	fmt.Fprintf(&b, "right %.3f, mixed with the right part first %.3f, wrong %.3f of %.0f", float64(m.right)/n, float64(m.mixed)/n,
		float64(m.wrong)/n, n)
	return b.String()
}

// check holds the matrix to what receipts promise. First questions may be mixed.
func (m *matrix) check(t *testing.T, first *matrix) {
	t.Helper()
	n := float64(m.right + m.mixed + m.wrong)
	if float64(m.wrong+first.wrong) > 0.02*n || float64(m.mixed) > 0.2*n {
		t.Errorf("of %.0f walls %d were named wrong and %d mixed, and of first questions %d wrong", n, m.wrong, m.mixed, first.wrong)
	}
}
