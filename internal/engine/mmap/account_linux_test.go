package mmap

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// TestAccount makes pages of the mapping unreadable, as a failing disk does. All other pages are
// visited and each byte of the bad ones is reported, wherever pieces begin and end.
func TestAccount(t *testing.T) {
	page := int64(os.Getpagesize())
	content := enginetest.Content(40*int(page) + 77)
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := source.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for seed := range uint64(20) {
		bad := enginetest.BadPages(len(content), page, seed)
		enginetest.Account(t, content, bad, unix.EIO, seed, func(c engine.Config) (engine.Engine, error) {
			e, err := Open(f, c)
			if err != nil {
				return nil, err
			}
			for _, b := range bad {
				err = errors.Join(err, unix.Mprotect(e.(*mmapEngine).data[b.Off:b.End], unix.PROT_NONE))
			}
			return e, err
		})
	}
}
