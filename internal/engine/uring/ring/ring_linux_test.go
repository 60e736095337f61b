package ring

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// newRing returns a ring. It skips the test if the kernel does not create one.
func newRing(t *testing.T, file, entries int) *Ring {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	r, err := New(file, entries)
	if err != nil {
		t.Skip("no io_uring here: ", err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// TestRead reads a file in more blocks than the ring has entries, with and without Register.
func TestRead(t *testing.T) {
	const blockBytes, blocks, entries = 1000, 37, 4
	want := make([]byte, blocks*blockBytes)
	for i := range want {
		want[i] = byte(i * i >> 3)
	}
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, want, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	memory, err := unix.Mmap(-1, 0, len(want), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(memory)
	for _, registered := range []bool{false, true} {
		clear(memory)
		r := newRing(t, int(f.Fd()), entries)
		if registered {
			r.Register(memory)
		}
		seen := map[uint64]bool{}
		for next := 0; len(seen) < blocks; {
			for ; next < blocks && next-len(seen) < entries; next++ {
				r.Read(memory[next*blockBytes:][:blockBytes], int64(next*blockBytes), uint64(next))
			}
			if err := r.Submit(true); err != nil {
				t.Fatal(err)
			}
			for d, ok := r.Take(); ok; d, ok = r.Take() {
				if seen[d.Tag] || d.Result != blockBytes {
					t.Fatalf("completion %+v, seen %v", d, seen[d.Tag])
				}
				seen[d.Tag] = true
			}
		}
		if !bytes.Equal(memory, want) {
			t.Errorf("registered %v: other bytes than the file's", registered)
		}
	}
}

// TestErrorsAreResults checks that a read that fails completes with its errno.
func TestErrorsAreResults(t *testing.T) {
	r := newRing(t, -1, 1)
	r.Read(make([]byte, 8), 0, 7)
	if err := r.Submit(true); err != nil {
		t.Fatal(err)
	}
	if d, ok := r.Take(); !ok || d.Tag != 7 || d.Result != -int32(unix.EBADF) {
		t.Errorf("completion %+v, %v; want EBADF", d, ok)
	}
	if _, ok := r.Take(); ok {
		t.Error("a second completion of one read")
	}
}

// TestDrain checks that Drain waits for reads in flight and discards reads that were only prepared.
func TestDrain(t *testing.T) {
	var ends [2]int
	if err := unix.Pipe(ends[:]); err != nil {
		t.Fatal(err)
	}
	r := newRing(t, ends[0], 2)
	b, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	r.Read(b[:1], -1, 1)
	if err := r.Submit(false); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Take(); ok {
		t.Error("an empty pipe was read")
	}
	r.Read(b[1:2], -1, 2)
	if err := unix.Close(ends[1]); err != nil { // ends the read
		t.Fatal(err)
	}
	if err := r.Drain(); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Take(); ok || r.inFlight != 0 || r.prepared != 0 {
		t.Errorf("%d in flight and %d prepared after the drain", r.inFlight, r.prepared)
	}
	if err := unix.Close(ends[0]); err != nil {
		t.Fatal(err)
	}
}
