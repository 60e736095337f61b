package zerocopytest_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/thresh-dev/thresh/zerocopy"
	"github.com/thresh-dev/thresh/zerocopy/zerocopytest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a testing.TB that records errors and skips.
type fake struct {
	testing.TB
	errors, skips string
}

func (f *fake) Helper()                        {}
func (f *fake) Errorf(format string, a ...any) { f.errors += fmt.Sprintf(format, a...) }
func (f *fake) Skipf(format string, a ...any)  { f.skips += fmt.Sprintf(format, a...) }

// ends returns an open file of that size, and a connection whose peer reads everything.
func ends(t *testing.T, size int64) (*os.File, net.Conn) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		io.Copy(io.Discard, struct{ io.Reader }{far})
		close(done)
	}()
	t.Cleanup(func() {
		f.Close()
		near.Close()
		<-done
		far.Close()
	})
	return f, near
}

func TestFast(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has /proc/self/io")
	}
	f, c := ends(t, 16<<20)
	var ok fake
	zerocopytest.Fast(&ok, c, f, func() (int64, error) { return io.Copy(c, f) })
	if ok.errors != "" || ok.skips != "" {
		t.Errorf("sendfile: %s%s", ok.errors, ok.skips)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	var lost fake
	hidden := struct{ io.Reader }{f}
	zerocopytest.Fast(&lost, c, hidden, func() (int64, error) { return io.Copy(c, hidden) })
	for _, want := range []string{"the fast path was lost: 16777216 bytes took ", "io.Copy uses copy here: the reader is a struct"} {
		if !strings.Contains(lost.errors, want) {
			t.Errorf("a copy: %q, not %q", lost.errors, want)
		}
	}
	var none fake
	zerocopytest.Fast(&none, nil, nil, func() (int64, error) { return io.Copy(c, f) })
	if !strings.Contains(none.errors, "cannot be told apart") {
		t.Errorf("no bytes: %q", none.errors)
	}
	var failed fake
	zerocopytest.Fast(&failed, nil, nil, func() (int64, error) { return 5, io.ErrShortWrite })
	if !strings.Contains(failed.errors, "failed after 5 bytes") {
		t.Errorf("an error: %q", failed.errors)
	}
}

func TestFastResult(t *testing.T) {
	f, c := ends(t, 1<<20)
	var count zerocopy.Counter
	r, err := zerocopy.Copy(zerocopy.NewWriter(c, zerocopy.Count(&count)), f)
	if err != nil {
		t.Fatal(err)
	}
	var result, counter fake
	zerocopytest.FastResult(&result, r)
	zerocopytest.FastCounter(&counter, &count)
	if on := runtime.GOOS == "linux"; (result.errors == "") != on || (counter.errors == "") != on {
		t.Errorf("%q, %q", result.errors, counter.errors)
	}
	r.Bytes[zerocopy.ByCopy] = 17
	result = fake{}
	if zerocopytest.FastResult(&result, r); !strings.Contains(result.errors, "17 of ") {
		t.Errorf("a byte copied: %q", result.errors)
	}
	result = fake{}
	if zerocopytest.FastResult(&result, zerocopy.Result{}); !strings.Contains(result.errors, "no bytes were transferred") {
		t.Errorf("nothing: %q", result.errors)
	}
}
