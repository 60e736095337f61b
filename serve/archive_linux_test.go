package serve

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/net/archive"
)

// TestArchiveReadsFirst: the beginning of a large file is read before the file is sent, if the body is all
// of it.
func TestArchiveReadsFirst(t *testing.T) {
	for name, c := range map[string]struct {
		size, off int64
		cached    bool
	}{
		"large":  {readAheadBytesMin, 0, true},
		"small":  {readAheadBytesMin - 1, 0, false},
		"a part": {2 * readAheadBytesMin, readAheadBytesMin, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			makeFiles(t, dir, map[string]string{"a": strings.Repeat("a", int(c.size))})
			a, err := os.OpenFile(filepath.Join(dir, "a"), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			if err := a.Sync(); err != nil {
				t.Fatal(err)
			}
			if err := unix.Fadvise(int(a.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
				t.Fatal(err)
			}
			if isCached(t, a) {
				t.Skip("files stay in the page cache here")
			}
			disk := make(chan struct{}, 1)
			w := &flushed{ResponseRecorder: httptest.NewRecorder(), flush: func() {
				if got := isCached(t, a); got != c.cached {
					t.Errorf("the file is cached before it is sent: %t", got)
				}
				if len(disk) > 0 {
					t.Error("the place among the calls that wait for the disk is not given back")
				}
			}}
			h := newHandler(openRoot(t, dir), handlerOptions{disk: disk}).(*handler)
			f := &folderArchive{ResponseWriter: w, h: h, buffer: new([smallBytes]byte)}
			if err := f.layOut("/", "base", archive.Tar); err != nil {
				t.Fatal(err)
			}
			if err := f.Body(0, c.off, c.size-c.off); err != nil {
				t.Fatal(err)
			}
			if got := int64(w.Body.Len()); got != c.size-c.off || w.flush != nil {
				t.Errorf("%d bytes were sent", got)
			}
		})
	}
}

// isCached reports whether the beginning of f is in the page cache.
func isCached(t *testing.T, f *os.File) bool {
	t.Helper()
	var stat unix.Cachestat_t
	switch err := unix.Cachestat(uint(f.Fd()), &unix.CachestatRange{Len: 1}, &stat, 0); err {
	case nil:
	case unix.ENOSYS:
		t.Skip("this kernel does not tell what is cached")
	default:
		t.Fatal(err)
	}
	return stat.Cache > 0
}

// flushed calls flush before it sends the first body.
type flushed struct {
	*httptest.ResponseRecorder
	flush func()
}

func (w *flushed) Flush() {
	if w.flush != nil {
		w.flush()
		w.flush = nil
	}
	w.ResponseRecorder.Flush()
}
