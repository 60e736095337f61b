package main

import (
	"os"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/cluster"
)

// TestRefused asks for runners with and without what they need, and for what is not for a cluster.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"count --lines x --runner beam", "known: embedded, flink, spark"},
		{"count --lines x --runner spark", "--runner spark: where is its job server?"},
		{"grep x y --runner flink", "--runner flink: where is its job server?"},
		{"sql x --endpoint jobs:8099", "give --runner flink or spark with it"},
		{"count --lines x --parallelism 2", "are for --runner flink or spark"},
		{"count --lines x --runner spark --endpoint jobs:8099 --parallelism -1", "it must be at least 1"},
		{"count --lines x --cell 0", "it must be at least 1"},
		{"count --lines x --offset 5", "--offset is not for a cluster: a job reads whole inputs"},
		{"table x --select a", "--select is not for a cluster: the records"},
		{"grep x y --engine mmap", "--engine is not for a cluster: each machine"},
	} {
		_, messages, status := ask(t, "", func(args []string, files [3]*os.File) int {
			return program(args, files[0], files[1], files[2], cluster.Embedded)
		}, strings.Fields(c.args)...)
		if status != 2 || !strings.Contains(messages, c.want) {
			t.Errorf("%s: %d, %s, want %s", c.args, status, messages, c.want)
		}
	}
}
