package splice

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func mark(t testing.TB, c any) (n int) {
	t.Helper()
	var err error
	if cerr := raw(t, c).Control(func(fd uintptr) {
		n, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVLOWAT)
	}); errors.Join(err, cerr) != nil {
		t.Fatal(err, cerr)
	}
	return n
}

// While the destination is full, the source reports no arrivals. Afterwards its owner's mark is back, also if
// the destination failed.
func TestSilentWhileFull(t *testing.T) {
	for name, end := range map[string]func(sink net.Conn){
		"reads on": func(sink net.Conn) { go io.Copy(io.Discard, sink) },
		"fails":    func(sink net.Conn) { sink.(*net.TCPConn).SetLinger(0); sink.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			src, feed := socketPair(t, "tcp")
			dst, sink := socketPair(t, "tcp")
			const own = 7
			if err := raw(t, src).Control(func(fd uintptr) {
				if err := unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVLOWAT, own); err != nil {
					t.Error(err)
				}
			}); err != nil {
				t.Fatal(err)
			}
			if err := dst.(*net.TCPConn).SetWriteBuffer(64 << 10); err != nil {
				t.Fatal(err)
			}
			const all = 32 << 20
			go func() {
				feed.Write(make([]byte, all))
				feed.Close()
			}()
			pipes := NewPool(1 * smallBytes)
			moved := make(chan Moved)
			go func() {
				m, err := move(raw(t, dst), raw(t, src), 1<<40, pipes)
				if (err != nil) != (name == "fails") {
					t.Error(err)
				}
				moved <- m
			}()
			for deadline := time.Now().Add(20 * time.Second); mark(t, src) == own; time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("the source reports arrivals although the destination is full")
				}
			}
			end(sink)
			if m := <-moved; name != "fails" && m.Bytes != all {
				t.Errorf("%d bytes moved", m.Bytes)
			}
			if got := mark(t, src); got != own {
				t.Errorf("the source's mark is %d afterwards, was %d", got, own)
			}
			dst.Close()
			closeIdle(t, pipes)
		})
	}
}

// TestMarkGrowsBufferOnce: the mark is half of the source's buffer. If the kernel enlarges the buffer to
// match, as it does where segments are small, it does so once for each connection.
func TestMarkGrowsBufferOnce(t *testing.T) {
	for name, segmentBytes := range map[string]int{"large segments": 0, "small segments": 600} {
		t.Run(name, func(t *testing.T) {
			src, feed := socketPair(t, "tcp")
			dst, _ := socketPair(t, "tcp")
			const segments = 50
			for range segments {
				if _, err := feed.Write(make([]byte, segmentBytes)); err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadFull(src, make([]byte, segmentBytes)); err != nil {
					t.Fatal(err)
				}
			}
			l, err := NewSplicer(raw(t, dst), raw(t, src), NewPool(smallBytes), nil)
			if err != nil {
				t.Fatal(err)
			}
			before := receiveBuffer(t, src)
			l.silence()
			once, raised := receiveBuffer(t, src), mark(t, src)
			if raised != before/2 {
				t.Errorf("the mark is %d in a buffer of %d bytes", raised, before)
			}
			if segmentBytes == 0 && once != before {
				t.Errorf("the kernel enlarged a buffer of %d bytes to %d", before, once)
			}
			if segmentBytes > 0 && once == before {
				t.Skip("this kernel enlarges no buffers") // before 6.6 a mark of half never needs more
			}
			l.unsilence()
			for range 3 {
				l.silence()
				l.unsilence()
			}
			if again := receiveBuffer(t, src); again != once {
				t.Errorf("a buffer of %d bytes became %d, and then %d", before, once, again)
			}
			if now := mark(t, src); now != 1 {
				t.Errorf("the mark is %d afterwards", now)
			}
		})
	}
}

func receiveBuffer(t testing.TB, c any) (n int) {
	t.Helper()
	var err error
	if cerr := raw(t, c).Control(func(fd uintptr) {
		n, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF)
	}); errors.Join(err, cerr) != nil {
		t.Fatal(err, cerr)
	}
	return n
}
