package thresh

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// ascending takes rows and keeps nothing but their number, and whether keys ascend.
type ascending struct {
	rows, wrong int
	last        string
}

func (c *ascending) Begin(string, []Column) error { return nil }
func (c *ascending) End([]string) error           { return nil }

func (c *ascending) Row(cells []Cell) error {
	key := string(cells[0].Text)
	if key <= c.last || cells[1].Int != 1 {
		c.wrong++
	}
	c.rows, c.last = c.rows+1, key
	return nil
}

// TestTableKeepsToItsMemory groups more keys than fit into the bound, and looks at what
// memory of its own the process takes meanwhile.
func TestTableKeepsToItsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("groups two million keys")
	}
	const keys, bound = 2_000_000, 64 << 20
	t.Setenv("TMPDIR", t.TempDir())
	in := piped(t, func(w io.Writer) {
		b := bufio.NewWriter(w)
		for i := range uint64(keys) { // all different, in no order
			fmt.Fprintf(b, "%016x-%d,1\n", i*0x9e3779b97f4a7c15, i)
		}
		if err := b.Flush(); err != nil {
			t.Error(err)
		}
	})
	debug.FreeOSMemory()
	before := ownBytes(t)
	var peak atomic.Int64
	over := make(chan bool)
	go func() {
		for {
			select {
			case <-over:
				over <- true
				return
			case <-time.After(2 * time.Millisecond):
				peak.Store(max(peak.Load(), ownBytes(t)))
			}
		}
	}()
	spec := TableSpec{Dialect: Dialect{Delim: ',', Quote: '"'}, Questions: []Question{{Kind: TableGroup, Keys: "1"}}}
	out := &ascending{}
	_, err := Table(context.Background(), listed("-"), spec, Options{Memory: bound}, Visitor{Stdin: in, Done: failing}, out)
	over <- true
	<-over
	if err != nil || out.rows != keys || out.wrong > 0 {
		t.Fatalf("%v: %d groups of %d, %d of them wrong or out of order", err, out.rows, keys, out.wrong)
	}
	if took := peak.Load() - before; took > bound {
		t.Errorf("took %d MiB, bound to %d", took>>20, bound>>20)
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("left behind in the temporary folder: %v %v", left, err)
	}
}

// ownBytes returns the memory of the process that is no file's.
func ownBytes(t testing.TB) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Error(err)
	}
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	var kib int64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Error(err)
	}
	return kib << 10
}
