package main

import "github.com/thresh-dev/thresh/lab/versus"

// versusChild does the tasks that comparisons with other programs start.
func versusChild(args []string) (handled bool, status int) { return versus.Child(args) }
