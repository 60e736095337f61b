package zerocopy_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// fast is the method of a fast path on systems that have one.
func fast(m zerocopy.Method) zerocopy.Method {
	if runtime.GOOS != "linux" {
		return zerocopy.ByCopy
	}
	return m
}

// made returns a file of n random bytes, open for reading, and the bytes.
func made(t testing.TB, n int) (*os.File, []byte) {
	t.Helper()
	data := make([]byte, n)
	seed := sha256.Sum256([]byte(t.Name()))
	rand.NewChaCha8(seed).Read(data)
	path := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, data
}

// pair returns two ends of a stream connection.
func pair(t testing.TB, network string) (near, far net.Conn) {
	t.Helper()
	addr := "127.0.0.1:0"
	if network == "unix" {
		addr = filepath.Join(t.TempDir(), "s")
	}
	l, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if near, err = net.Dial(network, l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if far, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []net.Conn{near, far} {
		t.Cleanup(func() { c.Close() })
		if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	return near, far
}

// drained reads c to its end in the background; the returned function waits for all of it.
func drained(c io.Reader) func() []byte {
	got := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(c)
		got <- b
	}()
	return func() []byte { return <-got }
}

func TestWrappedFileToSocket(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		f, data := made(t, 5<<20+17)
		near, far := pair(t, network)
		got := drained(far)
		var in, out zerocopy.Counter
		c := zerocopy.NewConn(near, zerocopy.Hooks{Write: []zerocopy.Hook{zerocopy.Count(&out)}})
		limited := &io.LimitedReader{R: f, N: 1 << 40}
		r := zerocopy.NewReader(&io.LimitedReader{R: limited, N: 5 << 20}, zerocopy.Count(&in))
		n, err := io.Copy(c, r)
		if n != 5<<20 || err != nil {
			t.Fatalf("%s: %d bytes, %v", network, n, err)
		}
		sent := fast(zerocopy.BySendfile)
		if in.Bytes(sent) != n || out.Bytes(sent) != n || in.Total() != n || out.Total() != n {
			t.Errorf("%s: counted %d and %d by %v of %d", network, in.Bytes(sent), out.Bytes(sent), sent, n)
		}
		if limited.N != 1<<40-n {
			t.Errorf("%s: the inner limit was lowered by %d", network, 1<<40-limited.N)
		}
		if off, _ := f.Seek(0, io.SeekCurrent); off != n {
			t.Errorf("%s: the file stands at %d", network, off)
		}
		c.CloseWrite()
		if !bytes.Equal(got(), data[:n]) {
			t.Errorf("%s: other bytes arrived", network)
		}
	}
}

func TestSectionsShareAFile(t *testing.T) {
	f, data := made(t, 1<<20)
	const n = 300_000
	done := make(chan error)
	disk := make(zerocopy.Semaphore, 1)
	for i := range 4 {
		near, far := pair(t, "tcp")
		off := int64(i) * 200_000
		got := drained(far)
		go func() {
			r, err := zerocopy.Copy(near, zerocopy.NewSection(f, off, n, disk))
			near.Close()
			if err == nil && (r.Bytes[fast(zerocopy.BySendfile)] != n || !bytes.Equal(got(), data[off:off+n])) {
				err = errors.New("not what the section holds")
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if off, _ := f.Seek(0, io.SeekCurrent); off != 0 {
		t.Errorf("the file's own offset moved to %d", off)
	}
}
