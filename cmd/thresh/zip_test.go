package main

import (
	"archive/zip"
	"os"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"
)

// zipFile is the command "zip ARCHIVE NAME TEXT...": a zip archive with members of these names and
// texts.
func zipFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args)%2 != 1 {
		ts.Fatalf("usage: zip ARCHIVE NAME TEXT...")
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	w := zip.NewWriter(f)
	for pair := range slices.Chunk(args[1:], 2) {
		m, err := w.Create(pair[0])
		ts.Check(err)
		_, err = m.Write([]byte(pair[1]))
		ts.Check(err)
	}
	ts.Check(w.Close())
}
