package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/thresh-dev/thresh/lab"
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
