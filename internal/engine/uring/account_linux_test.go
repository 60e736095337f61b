package uring

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/direct"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// TestAccount has the ring read a truncated copy of a file, so that the pread engine must read the
// rest, parts of which cannot be read. Each byte is visited or reported.
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

// cutFile returns a descriptor for direct reads of a file that holds bytes from base on. It skips
// the test if the engine does not work here.
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
	fd, _, err := direct.OpenFD(f, "uring")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

// TestOneByteMissing reads files that lack the last byte of a block or of its context.
func TestOneByteMissing(t *testing.T) {
	content := enginetest.Content(20_000)
	f, base := enginetest.Memory(t, content, nil)
	for _, ahead := range []int{0, 1, 100} {
		const cut = 9_999
		fd := cutFile(t, content[:cut], base)
		e := &uringEngine{file: f, fd: fd, align: alignBytesMin, ahead: int64(ahead), block: 16 << 10, depth: 2,
			config: engine.Config{AheadBytes: ahead}}
		r, err := enginetest.Shifted(e, base).Reader()
		if err != nil {
			t.Fatal(err)
		}
		piece := engine.Piece{Len: cut + 1 - ahead}
		next := enginetest.Queue([]engine.Piece{piece})
		err = r.Run(next, func(_ engine.Piece, b engine.Block, _ bool) bool {
			if b.Err != nil || b.Len != piece.Len || !bytes.Equal(b.Data, content[:cut+1]) {
				t.Errorf("%d bytes and %d of context: %v, or other bytes", b.Len, len(b.Data)-b.Len, b.Err)
			}
			return true
		})
		if err := errors.Join(err, r.Close()); err != nil || e.stats.rescued.Load() != 1 {
			t.Errorf("%v; %d blocks read otherwise, want 1", err, e.stats.rescued.Load())
		}
	}
}

// TestComplete passes possible results of reads to complete.
func TestComplete(t *testing.T) {
	r := &reader{uringEngine: &uringEngine{align: 4096}, tries: 3}
	for _, test := range []struct {
		results      []int32
		done, failed bool
	}{
		{[]int32{10_000}, true, false},
		{[]int32{12_288}, true, false},
		{[]int32{9_999}, true, true}, // the file ends there
		{[]int32{8192}, false, false},
		{[]int32{8192, 1808}, true, false},
		{[]int32{4096, 100}, true, true},
		{[]int32{0}, true, true},
		{[]int32{-int32(unix.EIO)}, true, true},
		{[]int32{-int32(unix.EAGAIN), -int32(unix.EINTR)}, false, false},
		{[]int32{-int32(unix.EAGAIN), -int32(unix.EAGAIN), -int32(unix.EAGAIN), -int32(unix.EAGAIN)}, true, true},
	} {
		s := &slot{need: 10_000}
		var done, failed bool
		for _, res := range test.results {
			if done {
				t.Errorf("%v: done before", test.results)
			}
			done, failed = r.complete(s, res)
		}
		if done != test.done || failed != test.failed {
			t.Errorf("%v: done %v, failed %v", test.results, done, failed)
		}
	}
}
