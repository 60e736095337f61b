package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// rotations are the ways in which a path gets another file. Each gets the path, a number, and the file that the writer
// has open, and returns the one that it goes on with.
var rotations = []struct {
	name   string
	loses  bool // what is written around it may be lost
	link   bool // the path is a symbolic link
	rotate func(path string, n int, old *os.File) (*os.File, error)
}{
	{"rename", false, false, func(path string, n int, old *os.File) (*os.File, error) {
		err := os.Rename(path, fmt.Sprintf("%s.%d", path, n))
		f, openErr := create(path)
		return f, errors.Join(err, openErr, old.Close())
	}},
	{"copytruncate", true, false, func(path string, n int, old *os.File) (*os.File, error) {
		b, err := os.ReadFile(path)
		return old, errors.Join(err, os.WriteFile(fmt.Sprintf("%s.%d", path, n), b, 0o600), os.Truncate(path, 0))
	}},
	{"hard link", false, false, func(path string, n int, old *os.File) (*os.File, error) {
		err := os.Link(path, fmt.Sprintf("%s.%d", path, n))
		f, openErr := create(path + ".new")
		return f, errors.Join(err, openErr, os.Rename(path+".new", path), old.Close())
	}},
	{"symbolic link", false, true, func(path string, n int, old *os.File) (*os.File, error) {
		f, err := create(fmt.Sprintf("%s.%d", path, n))
		return f, errors.Join(err, os.Symlink(f.Name(), path+".new"), os.Rename(path+".new", path), old.Close())
	}},
	{"deleted and made anew", false, false, func(path string, n int, old *os.File) (*os.File, error) {
		err := os.Remove(path)
		f, openErr := create(path)
		return f, errors.Join(err, openErr, old.Close())
	}},
	{"reopened late", false, false, func(path string, n int, old *os.File) (*os.File, error) {
		err := os.Rename(path, fmt.Sprintf("%s.%d", path, n))
		f, openErr := create(path)
		_, writeErr := fmt.Fprintf(old, "late %d\n", n)
		return f, errors.Join(err, openErr, writeErr, old.Close())
	}},
}

func create(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
}

// writers are ways of writing a line.
var writers = []struct {
	name  string
	write func(r *rand.Rand, f *os.File, line string) error
}{
	{"lines", func(r *rand.Rand, f *os.File, line string) error {
		_, err := f.WriteString(line)
		time.Sleep(time.Duration(r.IntN(1000)) * time.Microsecond)
		return err
	}},
	{"parts", func(r *rand.Rand, f *os.File, line string) error {
		at := r.IntN(len(line))
		_, err := f.WriteString(line[:at])
		time.Sleep(time.Duration(r.IntN(1000)) * time.Microsecond)
		_, restErr := f.WriteString(line[at:])
		return errors.Join(err, restErr)
	}},
	{"bursts", func(r *rand.Rand, f *os.File, line string) error {
		_, err := f.WriteString(line)
		if r.IntN(50) == 0 {
			time.Sleep(time.Duration(r.IntN(8)) * time.Millisecond)
		}
		return err
	}},
}

// TestRotations follows files that are rotated in every way while they are written in every way, with watches and
// without them. Each line comes once and in order; but those that a truncation took before they were read, which
// a note says.
func TestRotations(t *testing.T) {
	runs := len(rotations) * len(writers) * 2
	for i := range max(rounds.Of(runs), runs/2) {
		kind, w, alone := rotations[i%len(rotations)], writers[i/len(rotations)%len(writers)], i/len(rotations)/len(writers)%2 == 1
		t.Run(fmt.Sprintf("%s/%s/alone=%v/%d", kind.name, w.name, alone, i), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(i), 1))
			path := filepath.Join(t.TempDir(), "log")
			file, err := create(path)
			if kind.link && err == nil {
				err = errors.Join(os.Rename(path, path+".first"), os.Symlink(path+".first", path))
			}
			if err != nil {
				t.Skip(err) // as on Windows, which has no such links
			}
			log := &log{t: t}
			ctx, stop := context.WithCancel(t.Context())
			f, err := Open(ctx, path, Options{Note: log.note, Alone: alone, Look: 5 * time.Millisecond, Moment: 60 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			wg.Go(func() { log.read(f) })
			written := 0
			for n := range 1 + r.IntN(3) {
				first := written
				for range 1 + r.IntN(100) {
					if err := w.write(r, file, fmt.Sprintf("line %d;%s\n", written, strings.Repeat(".", r.IntN(100)))); err != nil {
						t.Fatal(err)
					}
					written++
				}
				if n > 0 || kind.loses { // two rotations at once cannot be seen, nor what was never there at a look
					log.wait(func() bool { return log.has(first) })
				}
				if file, err = kind.rotate(path, n, file); err != nil {
					t.Fatal(err)
				}
				if kind.loses { // a file that has grown to its old size at once looks as before
					time.Sleep(time.Duration(r.IntN(100)) * time.Millisecond)
				}
			}
			if _, err := fmt.Fprintf(file, "line %d;\n", written); err != nil {
				t.Fatal(err)
			}
			log.wait(func() bool { return log.has(written) })
			stop()
			wg.Wait()
			if err := errors.Join(file.Close(), f.Close()); err != nil {
				t.Error(err)
			}
			log.check(written+1, kind.loses)
		})
	}
}

// log is what was read.
type log struct {
	t *testing.T

	mu    sync.Mutex
	text  strings.Builder
	notes []string
}

func (l *log) note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, text)
}

func (l *log) read(f io.Reader) {
	buf := make([]byte, 500)
	for {
		n, err := f.Read(buf)
		l.mu.Lock()
		l.text.Write(buf[:n])
		l.mu.Unlock()
		if err != nil {
			if err != io.EOF {
				l.t.Error(err)
			}
			return
		}
	}
}

func (l *log) has(n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), fmt.Sprintf("line %d;", n))
}

// wait waits until something is so, or for so long that it will not be.
func (l *log) wait(until func() bool) {
	for end := time.Now().Add(time.Minute); !until(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			l.t.Errorf("nothing more comes after a minute; notes: %q", l.notes)
			return
		}
	}
}

// check looks that the lines up to n are there.
func (l *log) check(n int, loses bool) {
	var numbers []int
	for line := range strings.Lines(l.text.String()) {
		rest, ok := strings.CutPrefix(line, "line ")
		rest, _, whole := strings.Cut(rest, ";") // else a truncation has cut it
		number, err := strconv.Atoi(rest)
		switch {
		case ok && whole && err == nil:
			numbers = append(numbers, number)
		case !loses && !strings.HasPrefix(line, "late "):
			l.t.Errorf("line %q", line)
		}
	}
	if !slices.IsSorted(numbers) || len(slices.Compact(slices.Clone(numbers))) != len(numbers) {
		l.t.Errorf("lines are not in order, or twice: %v", numbers)
	}
	if lost := n - len(numbers); lost > 0 && (!loses || !strings.Contains(strings.Join(l.notes, "\n"), "was truncated")) {
		l.t.Errorf("%d lines of %d are lost: %v; notes: %q", lost, n, numbers, l.notes)
	}
}
