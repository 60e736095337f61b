package run

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/options"
)

// ascending takes rows and keeps nothing but their number, and whether keys ascend.
type ascending struct {
	rows, wrong int
	last        string
}

func (c *ascending) Begin(string, []answer.Column) error { return nil }
func (c *ascending) End([]string) error                  { return nil }

func (c *ascending) Row(cells []answer.Cell) error {
	key := string(cells[0].Text)
	if key <= c.last || cells[1].Int != 1 {
		c.wrong++
	}
	c.rows, c.last = c.rows+1, key
	return nil
}

// oneRow takes one row of integers.
type oneRow struct{ cells []int64 }

func (o *oneRow) Begin(string, []answer.Column) error { return nil }
func (o *oneRow) End([]string) error                  { return nil }

func (o *oneRow) Row(cells []answer.Cell) error {
	for _, c := range cells {
		o.cells = append(o.cells, c.Int)
	}
	return nil
}

// TestTableKeepsToItsMemory groups more keys than fit into the bound, and asks for quantiles
// and distinct texts of as many.
func TestTableKeepsToItsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("groups two million keys")
	}
	const keys = 2_000_000
	out := &ascending{}
	boundedTable(t, keys, query.Question{Kind: query.Group, Keys: "1"}, out)
	if out.rows != keys || out.wrong > 0 {
		t.Errorf("%d groups of %d, %d of them wrong or out of order", out.rows, keys, out.wrong)
	}
	all := &oneRow{}
	boundedTable(t, keys, query.Question{Kind: query.Group, Aggregates: "p50(2),p99(2),distinct(1)"}, all)
	if want := []int64{keys/2 - 1, keys/100*99 - 1, keys}; !slices.Equal(all.cells, want) {
		t.Errorf("%d, want %d", all.cells, want)
	}
}

// boundedTable asks about a table of that many keys, all different and in no order, and their
// numbers from 0. It looks at what memory of its own the process takes meanwhile.
func boundedTable(t *testing.T, keys uint64, q query.Question, out answer.Writer) {
	t.Helper()
	const bound = 64 << 20
	t.Setenv("TMPDIR", t.TempDir())
	in := piped(t, func(w io.Writer) {
		b := bufio.NewWriter(w)
		for i := range keys {
			fmt.Fprintf(b, "%016x-%d,%d\n", i*0x9e3779b97f4a7c15, i, i*7919%keys)
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
	spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: '"'}, Questions: []query.Question{q}}
	_, err := TableAll(context.Background(), listed("-"), spec, Options{Run: options.Run{MemoryBytes: bound}}, Callbacks{Stdin: in, Done: failing}, out)
	over <- true
	<-over
	if err != nil {
		t.Fatal(err)
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
