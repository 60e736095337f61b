package command

import (
	"strings"
	"testing"
)

// TestRunnerFlags asks for runners with and without what they need.
func TestRunnerFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--runner beam", "known: embedded, flink, spark"},
		{"--runner spark", "--runner spark: where is its job server?"},
		{"--runner flink", "--runner flink: where is its job server?"},
		{"--endpoint jobs:8099", "give --runner flink or spark with it"},
		{"--parallelism 2", "are for --runner flink or spark"},
		{"--runner spark --endpoint jobs:8099 --parallelism -1", "--parallelism -1 is negative"},
		{"--runner flink --endpoint jobs:8099 --parallelism -1", "--parallelism -1 is negative"},
	} {
		var stdout, stderr strings.Builder
		root := newRoot(&stdout, &stderr)
		root.SetArgs(append(strings.Fields("count --lines some.log"), strings.Fields(c.args)...))
		if err := root.Execute(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.args, err, c.want)
		}
	}
}
