package uring

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// TestAccount has the ring read a file that is cut short, so that from there on all has to be
// read otherwise, and some of that cannot be: each byte is visited or reported.
func TestAccount(t *testing.T) {
	page := int64(os.Getpagesize())
	content := enginetest.Content(40*int(page) + 77)
	var read, rescued int64
	ring := false
	for _, n := range []int{0, 3} {
		for seed := range uint64(12) {
			t.Run(fmt.Sprintf("%d/%d", n, seed), func(t *testing.T) {
				if n > 0 {
					threshold.Shrink(t, n)
				}
				cut := int64(seed) * 5003
				var bad []source.Range
				for _, b := range enginetest.BadPages(len(content), page, seed) {
					if b.Off >= cut {
						bad = append(bad, b)
					}
				}
				f, base := enginetest.Memory(t, content, bad)
				fd := cutFile(t, content[:cut], base)
				ring = true
				enginetest.Account(t, content, bad, unix.EIO, seed, func(c engine.Config) (engine.Engine, error) {
					own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
					e := &uringEngine{file: f, config: c, fd: own, align: alignBytesMin, ahead: int64(c.AheadBytes),
						block: int64(c.BlockBytes), depth: c.Depth}
					t.Cleanup(func() { read += e.stats.bytes.Load(); rescued += e.stats.rescued.Load() })
					return enginetest.Shifted(e, base), err
				})
			})
		}
	}
	if (read == 0 || rescued == 0) && ring {
		t.Errorf("%d bytes by the ring, %d blocks otherwise: want both", read, rescued)
	}
}

// cutFile returns a descriptor for direct reads of a file that holds bytes from base on. The
// test is skipped where the engine cannot work.
func cutFile(t *testing.T, content []byte, base int64) int {
	t.Helper()
	name := t.TempDir() + "/cut"
	w, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.WriteAt(append(content[:len(content):len(content)], 0), base); err != nil {
		t.Skip(err)
	}
	if err := w.Truncate(base + int64(len(content))); err != nil {
		t.Fatal(err)
	}
	f, err := source.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := Probe(f); err != nil {
		t.Skip(err)
	}
	fd, _, err := openDirect(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}
