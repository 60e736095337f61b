package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/lab"
)

// ownProgram is what make build builds.
const ownProgram = "bin/thresh"

// measured returns the program that comparisons measure, "" if there are no comparisons.
func (f *runFlags) measured(self string, experiments []*lab.Experiment) (string, error) {
	if !slices.ContainsFunc(experiments, func(e *lab.Experiment) bool { return e.Aside }) {
		return "", nil
	}
	program := f.thresh
	if program == "" {
		program = filepath.Join(filepath.Dir(self), "thresh")
		if here, err := filepath.Abs(ownProgram); err == nil && here == program {
			program = ownProgram
		}
		if _, err := os.Stat(program); err != nil {
			if program, err = exec.LookPath("thresh"); err != nil {
				return "", fmt.Errorf("no program to measure: %w (make build makes one; --thresh names another)", err)
			}
		}
	}
	if err := upToDate(program, "."); err != nil {
		return "", fmt.Errorf("no program to measure: %w (make build makes one)", err)
	}
	return filepath.Abs(program)
}

// upToDate returns an error if there is no such program, or if it is this repository's own and older than the sources
// in a folder: then its figures would be those of another version.
func upToDate(program, root string) error {
	info, err := os.Stat(program)
	if err != nil || program != ownProgram {
		return err
	}
	built := info.ModTime()
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || name == "thresh-lab" || name == "lab" || path != root && name[0] == '.'):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".s") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(built) {
			err = fmt.Errorf("%s is of %s and %s has changed since", program, built.Format(time.DateTime), path)
		}
		return err
	})
}
