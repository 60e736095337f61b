package pread_test

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/engine/pread"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
	"golang.org/x/sys/unix"
)

// memoryWithHole maps n bytes and unmaps [hole, hole+holeBytes) of them. Reads of /proc/self/mem
// return EIO there: a read error without a broken disk.
func memoryWithHole(t *testing.T, n, hole, holeBytes int) (base uintptr, content []byte) {
	t.Helper()
	at, err := unix.MmapPtr(-1, 0, nil, uintptr(n), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	content = enginetest.Content(n)
	copy(unsafe.Slice((*byte)(at), n), content)
	if err := unix.MunmapPtr(unsafe.Add(at, hole), uintptr(holeBytes)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := errors.Join(unix.MunmapPtr(at, uintptr(hole)),
			unix.MunmapPtr(unsafe.Add(at, hole+holeBytes), uintptr(n-hole-holeBytes)))
		if err != nil {
			t.Error(err)
		}
	})
	return uintptr(at), content
}

func TestReadsAroundErrors(t *testing.T) {
	const n, hole = 4 << 20, 1<<20 + 5*4096
	for _, holeBytes := range []int{4096, 5 * 4096} {
		for _, pieceBytes := range []int{10_000, 4 << 20} {
			t.Run(fmt.Sprintf("hole=%d/piece=%d", holeBytes, pieceBytes), func(t *testing.T) {
				base, content := memoryWithHole(t, n, hole, holeBytes)
				f, err := source.Open("/proc/self/mem")
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				f.Kind, f.Bytes = source.Regular, int64(base)+n
				e, err := pread.Open(f, engine.Config{PieceBytes: pieceBytes, AheadBytes: 100})
				if err != nil {
					t.Fatal(err)
				}
				lost := aroundHole(t, e, int64(base), content, pieceBytes)
				if lost != int64(holeBytes) {
					t.Errorf("%d bytes lost, want the %d of the hole", lost, holeBytes)
				}
			})
		}
	}
}

// aroundHole scans content at base and returns how many bytes were reported as unread.
func aroundHole(t *testing.T, e engine.Engine, base int64, content []byte,
	pieceBytes int) (lost int64) {
	t.Helper()
	pos := base
	visit := func(_ engine.Piece, b engine.Block, _ bool) bool {
		if b.Off != pos {
			t.Errorf("block at %d, want %d", b.Off-base, pos-base)
		}
		if b.Err != nil {
			if !errors.Is(b.Err, unix.EIO) {
				t.Errorf("unread for another reason: %v", b.Err)
			}
			lost += b.Err.Len
			pos += b.Err.Len
			return true
		}
		at := b.Off - base
		if string(b.Data) != string(content[at:at+int64(len(b.Data))]) {
			t.Errorf("block at %d has other bytes", at)
		}
		pos += int64(b.Len)
		return true
	}
	pieces := enginetest.Pieces(base, base+int64(len(content)), pieceBytes)
	if err := enginetest.Scan(e, pieces, 1, func() engine.Visit { return visit }); err != nil {
		t.Error(err)
	}
	if pos != base+int64(len(content)) {
		t.Errorf("scan ended at %d of %d", pos-base, len(content))
	}
	return lost
}

// A descriptor that is not open for reading is one error of the scan, not one of every page.
func TestUnreadableDescriptor(t *testing.T) {
	name := t.TempDir() + "/input"
	if err := os.WriteFile(name, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f, err := source.FromOS(name, w)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e, err := pread.Open(f, engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	err = enginetest.Scan(e, enginetest.Pieces(0, 100, 50), 1, func() engine.Visit {
		return func(_ engine.Piece, b engine.Block, _ bool) bool {
			t.Errorf("visited at %d", b.Off)
			return true
		}
	})
	if !errors.Is(err, unix.EBADF) {
		t.Errorf("reading a descriptor for writing: %v, want EBADF", err)
	}
}

// TestAccount reads a file with bad pages. All other bytes are visited and each bad byte is
// reported, whatever the sizes of pieces, blocks and reads.
func TestAccount(t *testing.T) {
	page := int64(os.Getpagesize())
	content := enginetest.Content(40*int(page) + 77)
	for _, n := range []int{0, 2, 64, 5000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n > 0 {
				threshold.Shrink(t, n)
			}
			for seed := range uint64(10) {
				t.Run("", func(t *testing.T) {
					bad := enginetest.BadPages(len(content), page, seed)
					f, base := enginetest.Memory(t, content, bad)
					enginetest.Account(t, content, bad, unix.EIO, seed, func(c engine.Config) (engine.Engine, error) {
						e, err := pread.Open(f, c)
						return enginetest.Shifted(e, base), err
					})
				})
			}
		})
	}
}
