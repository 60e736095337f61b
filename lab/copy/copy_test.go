package copy

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/thresh-dev/thresh/lab/peer"
)

// parentCommand makes the test binary run a variant on a file until it is killed.
const parentCommand = "lab-copy-test-parent"

func TestMain(m *testing.M) {
	if handled, status := Child(os.Args[1:]); handled {
		os.Exit(status)
	}
	if err := peer.ExtendPath(); err != nil {
		panic(err)
	}
	if len(os.Args) == 4 && os.Args[1] == parentCommand {
		v, err := find(os.Args[2])
		if err == nil {
			_, err = v.run(context.Background(), options{file: os.Args[3], transfers: endless})
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// A process built with -race sleeps for a second before it exits, so that no report is lost. Here
	// that would be a second for each of a hundred processes.
	if err := os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// endless is a number of transfers that no test waits for.
const endless = 1 << 40

func TestVariants(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range variants() {
		if seen[v.id] || v.what == "" || (v.serve == nil) == (v.other == nil) {
			t.Errorf("variant %q is a duplicate, or incomplete", v.id)
		}
		if v.path != byCopy && v.path != bySendfile && v.path != bySplice {
			t.Errorf("%s has the unknown path %q", v.id, v.path)
		}
		seen[v.id] = true
	}
	for _, id := range []string{"raw", "wrapped", "limit", "forward", "splice", "http-length", "http",
		"http-middleware", "http-fileserver", "http-range", "relay32", "serve", "relay", "nginx", "haproxy"} {
		if !seen[id] {
			t.Errorf("no variant %s", id)
		}
	}
}
