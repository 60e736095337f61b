//go:build unix

package direct

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// fake is a device in memory whose bad sectors fail. As the system does, it refuses reads that are
// not aligned, and returns nothing of a read that contains a bad sector.
type fake struct {
	content []byte
	sector  int64
	bad     []source.Range
	reads   []source.Range // in order; only of one reader
	short   int64          // if not 0, longer reads return this many bytes
}

func (f *fake) device() device {
	return device{name: "fake", bytes: int64(len(f.content)), align: f.sector, read: f.read, close: func() error { return nil }}
}

func (f *fake) read(p []byte, off int64) (int, error) {
	end := off + int64(len(p))
	f.reads = append(f.reads, source.Range{Off: off, End: end})
	if off%f.sector != 0 || end%f.sector != 0 || len(p) == 0 {
		return 0, unix.EINVAL
	}
	for _, b := range f.bad {
		if off < b.End && b.Off < end {
			return 0, unix.EIO
		}
	}
	if off >= int64(len(f.content)) {
		return 0, nil
	}
	if f.short > 0 {
		p = p[:min(int64(len(p)), f.short)]
	}
	return copy(p, f.content[off:]), nil
}

// TestAccount reads devices with bad sectors, of 512 and of 4096 bytes: every good byte is visited,
// and every bad sector is reported as unread, whatever the sizes of pieces and reads.
func TestAccount(t *testing.T) {
	for _, sector := range []int64{512, 4096} {
		content := enginetest.Content(40*int(sector) + 77)
		for _, n := range []int{0, 2, 64, 5000} {
			t.Run(fmt.Sprint(sector, " ", n), func(t *testing.T) {
				if n > 0 {
					threshold.Shrink(t, n)
				}
				for seed := range uint64(20) {
					bad := enginetest.BadPages(len(content), sector, seed)
					enginetest.Account(t, content, bad, unix.EIO, seed, func(c engine.Config) (engine.Engine, error) {
						c.BlockBytes /= 8
						return newEngine((&onlyReads{fake{content: content, sector: sector, bad: bad}}).device(), c), nil
					})
				}
			})
		}
	}
}

// onlyReads keeps no list of reads, so several readers may use it.
type onlyReads struct{ fake }

func (f *onlyReads) device() device {
	d := f.fake.device()
	d.read = func(p []byte, off int64) (int, error) {
		one := f.fake // a copy, with a list of its own
		one.reads = nil
		return one.read(p, off)
	}
	return d
}

// TestShortReads: a device that returns less than was asked for is read on.
func TestShortReads(t *testing.T) {
	f := &onlyReads{fake{content: enginetest.Content(100_000), sector: 512, short: 1024}}
	var got []byte
	scan(t, f.device(), engine.Config{BlockBytes: 8192}, func(b engine.Block) { got = append(got, b.Data[:b.Len]...) })
	if string(got) != string(f.content) {
		t.Errorf("%d bytes, want the %d of the device", len(got), len(f.content))
	}
}

// TestFailuresAreHalved: around one bad sector the reads get smaller and then larger again, and no
// sector is tried twice at the smallest size.
func TestFailuresAreHalved(t *testing.T) {
	const bad = 37 * 512
	f := &fake{content: make([]byte, 64*512), sector: 512, bad: []source.Range{{Off: bad, End: bad + 512}}}
	var lost []source.Range
	scan(t, f.device(), engine.Config{BlockBytes: 64 * 512}, func(b engine.Block) {
		if b.Err != nil {
			lost = append(lost, source.Range{Off: b.Err.Off, End: b.Err.Off + b.Err.Len})
		}
	})
	if !slices.Equal(lost, f.bad) {
		t.Errorf("lost %v, want %v", lost, f.bad)
	}
	if len(f.reads) > 20 {
		t.Errorf("%d reads for one bad sector among 64: %v", len(f.reads), f.reads)
	}
	alone := 0
	for _, r := range f.reads {
		if r == f.bad[0] {
			alone++
		}
	}
	if alone != 1 {
		t.Errorf("the bad sector was read alone %d times", alone)
	}
}

// TestEnds: a device that is shorter than it was is unread from its new end on, in one range.
func TestEnds(t *testing.T) {
	f := &fake{content: make([]byte, 10_000), sector: 512}
	d := f.device()
	d.bytes = 64 * 512
	read, lost := int64(0), int64(0)
	scan(t, d, engine.Config{BlockBytes: 4096}, func(b engine.Block) {
		read += int64(b.Len)
		if b.Err != nil {
			lost += b.Err.Len
			if !errors.Is(b.Err, failure.ErrEnded) || b.Off != 10_000 {
				t.Errorf("%v", b.Err)
			}
		}
	})
	if read != 10_000 || lost != 64*512-10_000 {
		t.Errorf("read %d, lost %d", read, lost)
	}
}

// TestConcernsAll: an error of the descriptor ends the run.
func TestConcernsAll(t *testing.T) {
	d := (&fake{content: make([]byte, 4096), sector: 512}).device()
	for _, reason := range []error{unix.EBADF, unix.EINVAL, io.ErrUnexpectedEOF} {
		d.read = func([]byte, int64) (int, error) { return 0, reason }
		r, err := newEngine(d, engine.Config{}).Reader()
		if err != nil {
			t.Fatal(err)
		}
		err = r.Run(enginetest.Queue([]engine.Piece{{Off: 0, Len: 4096}}), func(engine.Piece, engine.Block, bool) bool { return true })
		if fatal := reason != io.ErrUnexpectedEOF; fatal != errors.Is(err, reason) {
			t.Errorf("%v: %v", reason, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// scan visits a whole device as one piece.
func scan(t *testing.T, d device, c engine.Config, see func(engine.Block)) {
	t.Helper()
	e := newEngine(d, c)
	err := enginetest.Scan(e, []engine.Piece{{Off: 0, Len: int(d.bytes)}}, 1, func() engine.Visit {
		return func(_ engine.Piece, b engine.Block, _ bool) bool {
			see(b)
			return true
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
