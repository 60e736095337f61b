package sendfile

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func raw(t testing.TB, c any) syscall.RawConn {
	t.Helper()
	r, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func file(t testing.TB, data []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func pair(t testing.TB) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if near, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if far, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	return near, far
}

func sender(t testing.TB, dst any, f *os.File, toFile bool, sem chan struct{}) *Sender {
	t.Helper()
	s := new(Sender)
	if err := s.Reset(raw(t, dst), f, toFile, sem); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOffsets(t *testing.T) {
	f := file(t, []byte("0123456789"))
	near, far := pair(t)
	s := sender(t, near, f, false, make(chan struct{}, 1))
	for _, send := range []func() (Sent, error){
		func() (Sent, error) { return s.Send(7, 2) },
		func() (Sent, error) { return s.SendNext(4) },
		func() (Sent, error) { return s.Send(0, 1) },
		func() (Sent, error) { return s.SendNext(100) },
	} {
		if sent, err := send(); err != nil || sent.Calls != 1 {
			t.Fatalf("%+v, %v", sent, err)
		}
	}
	for _, at := range []int64{10, 11} {
		if sent, err := s.Send(at, 5); sent != (Sent{0, 1}) || err != nil {
			t.Errorf("past the end: %+v, %v", sent, err)
		}
	}
	if sent, err := s.Send(0, 0); sent != (Sent{}) || err != nil {
		t.Errorf("nothing: %+v, %v", sent, err)
	}
	near.Close()
	if got, err := io.ReadAll(far); string(got) != "780123"+"0"+"456789" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// A sender that waits for the socket does not hold the semaphore, and a deadline ends the wait.
func TestWaitsOutsideSemaphore(t *testing.T) {
	f := file(t, make([]byte, 32<<20))
	near, _ := pair(t)
	sem := make(chan struct{}, 1)
	s := sender(t, near, f, false, sem)
	var total Sent
	done := make(chan error)
	go func() {
		for {
			sent, err := s.Send(total.Bytes, 1<<20)
			total.Bytes += sent.Bytes
			total.Calls += sent.Calls
			if err != nil {
				done <- err
				return
			}
		}
	}()
	for range 20 { // by then the socket has been full for a while
		select {
		case sem <- struct{}{}:
			<-sem
		case <-time.After(20 * time.Second):
			t.Fatal("the semaphore is held while the socket is full")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := near.SetWriteDeadline(time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if total.Bytes == 0 || total.Bytes == 32<<20 || total.Calls < 2 {
		t.Errorf("%+v into a socket that no peer reads", total)
	}
}

func TestToFile(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 1000)
	f := file(t, data)
	dst, err := os.Create(filepath.Join(t.TempDir(), "copy"))
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	s := sender(t, dst, f, true, nil)
	for _, off := range []int64{9000, 10} {
		if sent, err := s.Send(off, 1000); sent.Bytes != 1000 || err != nil {
			t.Fatalf("%+v, %v", sent, err)
		}
	}
	got, err := os.ReadFile(dst.Name())
	if err != nil || !bytes.Equal(got, append(data[9000:10000:10000], data[10:1010]...)) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestUnsupported(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	near, _ := pair(t)
	if sent, err := sender(t, near, r, false, nil).Send(0, 10); sent.Bytes != 0 || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("from a pipe: %+v, %v", sent, err)
	}
	appending, err := os.OpenFile(filepath.Join(t.TempDir(), "a"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer appending.Close()
	f := file(t, []byte("abc"))
	if sent, err := sender(t, appending, f, true, nil).Send(0, 3); sent.Bytes != 0 || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("to a file with O_APPEND: %+v, %v", sent, err)
	}
}

func TestPeerGone(t *testing.T) {
	f := file(t, make([]byte, 8<<20))
	near, far := pair(t)
	far.(*net.TCPConn).SetLinger(0)
	far.Close()
	s := sender(t, near, f, false, nil)
	var err error
	for range 1000 {
		if _, err = s.Send(0, 1<<20); err != nil {
			break
		}
	}
	var where *os.PathError
	if !errors.As(err, &where) || where.Path != f.Name() {
		t.Errorf("error %v", err)
	}
	near.Close()
	if _, err = s.Send(0, 1); !errors.Is(err, net.ErrClosed) {
		t.Errorf("on a closed connection: %v", err)
	}
}

func TestNoAllocation(t *testing.T) {
	f := file(t, make([]byte, 4096))
	near, far := pair(t)
	go io.Copy(io.Discard, struct{ io.Reader }{far})
	s := sender(t, near, f, false, nil)
	if n := testing.AllocsPerRun(200, func() {
		if _, err := s.Send(0, 4096); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
	near.Close()
}
