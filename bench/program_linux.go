package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ownProgram is what make build builds.
const ownProgram = "bin/thresh"

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
		case d.IsDir() && (name == "testdata" || name == "bench" || name == "lab" || path != root && name[0] == '.'):
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
