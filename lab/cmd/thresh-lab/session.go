package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/measure"
)

// session names the files of a session: the runs, and the results that they gave.
type session struct{ base string }

func (s session) journal() string { return s.base + ".jsonl" }
func (s session) results() string { return s.base + ".json" }

// sessionFor returns the session of these programs on this machine with these sizes. Another build or another
// kernel begins a session of its own.
func sessionFor(
	folder string, programs []string, m lab.Machine, size string, rounds int, quick bool,
) (s session, err error) {
	sum := sha256.New()
	for _, name := range programs {
		if err := hash(sum, name); err != nil {
			return s, err
		}
	}
	fmt.Fprintln(sum, m.Processor, m.Processors, m.MemoryBytes, m.Kernel, m.FileSystem, size, rounds, quick)
	sessions := filepath.Join(folder, "sessions")
	const digits = 12
	return session{filepath.Join(sessions, hex.EncodeToString(sum.Sum(nil))[:digits])}, os.MkdirAll(sessions, 0o755)
}

// hash adds the content of a file, if one is named.
func hash(sum io.Writer, name string) error {
	if name == "" {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	if _, err := io.Copy(sum, f); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// keep writes the results of the session, for the other commands.
func (s session) keep(r lab.Results) error {
	return writeFile(s.results(), func(w *os.File) error { return json.NewEncoder(w).Encode(r) })
}

// writeFile writes a file that appears when it is complete.
func writeFile(path string, write func(w *os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(f.Name()))
	}
	return nil
}

// load returns the results in some files; without any, those of the last session.
func load(folder string, paths []string) (all []lab.Results, err error) {
	if len(paths) == 0 {
		last, err := lastResults(folder)
		if err != nil {
			return nil, err
		}
		paths = []string{last}
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var r lab.Results
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("%s has no results of thresh-lab: %w", path, err)
		}
		if len(r.Measurements) == 0 {
			return nil, fmt.Errorf("%s has no results of thresh-lab", path)
		}
		all = append(all, r)
	}
	return all, nil
}

// lastResults returns the results that were written last.
func lastResults(folder string) (string, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "sessions", "*.json"))
	if err != nil {
		return "", err
	}
	if len(paths) == 0 {
		return "", errors.New(`nothing has been measured yet: "thresh lab run" does that`)
	}
	written := map[string]int64{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		written[path] = info.ModTime().UnixNano()
	}
	return slices.MaxFunc(paths, func(a, b string) int { return cmp.Compare(written[a], written[b]) }), nil
}

func newClean(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "clean",
		Short: "remove the inputs and the sessions that are kept",
		Long: `clean removes what run keeps in the user's cache folder: generated inputs,
sessions and their results, and execution traces.`,
		Example: `  thresh lab clean`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			unlock, err := lock(c.folder)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := errors.Join(os.RemoveAll(c.folder), unlock()); err != nil {
				return fmt.Errorf("remove %s: %w", c.folder, err)
			}
			return nil
		},
	}
}

// progress shows how far a session has come: a line that changes on a terminal, and a line now and then
// elsewhere.
type progress struct {
	w        io.Writer
	columns  int // of the terminal, 0 if it is none
	last     time.Time
	quietFor time.Duration
}

const clearLine = "\r\x1b[K"

func newProgress(w io.Writer) *progress {
	p := &progress{w: w, quietFor: 20 * time.Second}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.columns = 80
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 20 {
			p.columns = columns
		}
	}
	return p
}

func (p *progress) show(now measure.Progress) {
	line := progressLine(now)
	if p.columns > 0 {
		fmt.Fprint(p.w, clearLine, line[:min(len(line), p.columns-1)])
		return
	}
	if time.Since(p.last) >= p.quietFor {
		p.last = time.Now()
		fmt.Fprintln(p.w, line)
	}
}

// progressLine formats progress: " 34 %  3m12s left  needle/v07, warm, 4 workers: run 2 of 5".
func progressLine(now measure.Progress) string {
	if now.Done == 0 {
		return now.Doing
	}
	return fmt.Sprintf("%3.0f %%  %v left  %s", 100*now.Done, now.Left.Round(time.Second), now.Doing)
}

// note shows a message that stays.
func (p *progress) note(text string) {
	p.end()
	fmt.Fprintln(p.w, "thresh-lab:", text)
}

// end removes the line from a terminal.
func (p *progress) end() {
	if p.columns > 0 {
		fmt.Fprint(p.w, clearLine)
	}
}
