package wall

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestTakeCloses: taking counters leaves no descriptor open. Finalizers would close them at a collection.
func TestTakeCloses(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	open := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	if _, err := Take(); err != nil { // the runtime's poller opens descriptors of its own at the first file
		t.Fatal(err)
	}
	before := open()
	for range 20 {
		if _, err := Take(); err != nil {
			t.Fatal(err)
		}
	}
	if after := open(); after >= before+20 {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}
