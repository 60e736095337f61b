package spill

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

func TestFile(t *testing.T) {
	dir := t.TempDir()
	var written atomic.Int64
	f, err := New(Dir{dir, &written}, "thresh-test-*", "tests")
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"one", "", "three"} {
		off, err := f.Append([]byte(text))
		if want := []int64{0, 3, 3}[i]; err != nil || off != want {
			t.Fatalf("%q went to %d: %v", text, off, err)
		}
	}
	b := make([]byte, 5)
	if err := f.ReadBack(b, 3); err != nil || !bytes.Equal(b, []byte("three")) || f.End() != 8 || written.Load() != 8 {
		t.Errorf("read %q of %d, %d written: %v", b, f.End(), written.Load(), err)
	}
	if err := f.ReadBack(b, 4); !errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "read back at 4") {
		t.Errorf("error %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestNoFolder(t *testing.T) {
	if _, err := New(Dir{Name: t.TempDir() + "/nowhere"}, "x", "tests"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("no /dev/full")
	}
	if err != nil {
		t.Fatal(err)
	}
	f := &File{File: full}
	_, err = f.Append([]byte("text"))
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/dev/full: no space left on device; free some or set TMPDIR") {
		t.Errorf("error %v", err)
	}
	if f.End() != 0 {
		t.Errorf("%d bytes count as written", f.End())
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("/dev/full"); err != nil { // it was not ours to remove
		t.Error(err)
	}
}
