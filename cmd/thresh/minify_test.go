package main

import (
	"github.com/rogpeppe/go-internal/testscript"
)

// lineIs is the command "line FILE WANT": it fails unless FILE is WANT without its last line feed,
// which files in scripts always have.
func lineIs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: line FILE WANT")
	}
	if got, want := ts.ReadFile(args[0])+"\n", ts.ReadFile(args[1]); got != want {
		ts.Fatalf("%s is\n%s\nwant\n%s", args[0], got, want)
	}
}
