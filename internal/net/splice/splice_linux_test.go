package splice

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// socketPair returns the two ends of a connection of that network.
func socketPair(t testing.TB, network string) (near, far net.Conn) {
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
	if far, err = net.Dial(network, l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if near, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	return near, far
}

func raw(t testing.TB, c any) syscall.RawConn {
	t.Helper()
	rc, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	return rc
}

func randomBytes(n int) []byte {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{7}).Read(p)
	return p
}

// closeIdle closes the pool's pipes and checks that none is left.
func closeIdle(t *testing.T, p *PipePool) {
	t.Helper()
	p.CloseIdle()
	if open, used := p.Open(); open != 0 || used != 0 {
		t.Errorf("%d pipes are open and %d in use after the end", open, used)
	}
}

func TestMoveAllPairs(t *testing.T) {
	for _, from := range []string{"tcp", "unix"} {
		for _, to := range []string{"tcp", "unix"} {
			t.Run(from+"-"+to, func(t *testing.T) {
				src, feed := socketPair(t, from)
				dst, sink := socketPair(t, to)
				pipes := NewPool(2 * smallBytes)
				data := randomBytes(5<<20 + 12345)
				go func() {
					for rest := data; len(rest) > 0; {
						n := min(len(rest), 1+rand.IntN(200<<10))
						feed.Write(rest[:n])
						rest = rest[n:]
						if rand.IntN(4) == 0 {
							time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
						}
					}
					feed.Close()
				}()
				sum := make(chan [32]byte)
				go func() {
					all, err := io.ReadAll(sink)
					if err != nil {
						t.Error(err)
					}
					sum <- sha256.Sum256(all)
				}()
				first, err := move(raw(t, dst), raw(t, src), 1<<20, pipes)
				if err != nil || first.Bytes != 1<<20 {
					t.Fatalf("moved %d of 1 MiB: %v", first.Bytes, err)
				}
				rest, err := move(raw(t, dst), raw(t, src), 1<<40, pipes)
				if err != nil || rest.Bytes != int64(len(data))-1<<20 || rest.Lost != 0 {
					t.Fatalf("moved %d, lost %d of %d: %v", rest.Bytes, rest.Lost, len(data)-1<<20, err)
				}
				dst.Close()
				if <-sum != sha256.Sum256(data) {
					t.Error("what came out is not what went in")
				}
				closeIdle(t, pipes)
			})
		}
	}
}

// A connection that waits holds no pipe.
func TestWaitHoldsNoPipe(t *testing.T) {
	src, feed := socketPair(t, "tcp")
	dst, sink := socketPair(t, "tcp")
	pipes := NewPool(1 * smallBytes)
	done := make(chan Moved)
	go func() {
		m, err := move(raw(t, dst), raw(t, src), 1<<40, pipes)
		if err != nil {
			t.Error(err)
		}
		done <- m
	}()
	word := []byte("word")
	for range 3 {
		if _, err := feed.Write(word); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(word))
		if _, err := io.ReadFull(sink, got); err != nil || !bytes.Equal(got, word) {
			t.Fatalf("%q: %v", got, err)
		}
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			if _, used := pipes.Open(); used == 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("a pipe is held by a connection that waits")
			}
		}
	}
	feed.Close()
	if m := <-done; m.Bytes != 12 {
		t.Errorf("%d bytes moved", m.Bytes)
	}
	closeIdle(t, pipes)
}

// A slow reader gets what its socket has room for, and no pipe is held while it is full, except the
// first time, when it is not yet known to be slow.
func TestSlowReaderReleasesPipe(t *testing.T) {
	src, feed := socketPair(t, "tcp")
	dst, sink := socketPair(t, "tcp")
	// Small buffers, so that the reader can pause often and the test is short.
	if err := errors.Join(dst.(*net.TCPConn).SetWriteBuffer(64<<10), sink.(*net.TCPConn).SetReadBuffer(64<<10)); err != nil {
		t.Fatal(err)
	}
	pipes := NewPool(1 * smallBytes)
	data := randomBytes(3 << 20)
	go func() {
		feed.Write(data)
		feed.Close()
	}()
	done := make(chan Moved)
	go func() {
		m, err := move(raw(t, dst), raw(t, src), 1<<40, pipes)
		if err != nil {
			t.Error(err)
		}
		done <- m
		dst.Close()
	}()
	hash := sha256.New()
	waitFor := func(used int, patience time.Duration) bool {
		for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
			if _, n := pipes.Open(); n == used {
				return true
			}
			if time.Now().After(deadline) {
				return false
			}
		}
	}
	if !waitFor(1, 20*time.Second) { // the pipe holds more than the socket accepts
		t.Fatal("the pipe is not in use")
	}
	time.Sleep(2 * slowWait) // and the socket stays full
	// The reader pauses again and again; the destination is then full, and holds no pipe. On a busy machine the feeder may
	// be the slower one for a moment, and then the pipe is held during the next pause, but not during all.
	released := false
	for n := 0; n < len(data); {
		m, err := io.CopyN(hash, sink, min(256<<10, int64(len(data)-n)))
		if err != nil {
			t.Fatal(err)
		}
		if n += int(m); n >= 1<<20 && n < 2<<20 && !released {
			released = waitFor(0, 5*time.Second)
		}
	}
	if !released {
		t.Error("the pipe stayed in use while the reader paused")
	}
	if m := <-done; m.Bytes != int64(len(data)) {
		t.Errorf("%d bytes moved", m.Bytes)
	}
	if want := sha256.Sum256(data); !bytes.Equal(hash.Sum(nil), want[:]) {
		t.Error("what came out is not what went in")
	}
	closeIdle(t, pipes)
}

// When the pool is empty, move returns ErrNoPipe and the count of what it moved.
func TestNoPipe(t *testing.T) {
	src, feed := socketPair(t, "tcp")
	dst, sink := socketPair(t, "tcp")
	pipes := NewPool(1 * smallBytes)
	held := pipes.take()
	if _, err := feed.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	m, err := move(raw(t, dst), raw(t, src), 3, pipes)
	if !errors.Is(err, ErrNoPipe) || !errors.Is(err, errors.ErrUnsupported) || m.Bytes != 0 {
		t.Fatalf("moved %d: %v", m.Bytes, err)
	}
	pipes.put(held)
	if m, err = move(raw(t, dst), raw(t, src), 3, pipes); err != nil || m.Bytes != 3 {
		t.Fatalf("moved %d: %v", m.Bytes, err)
	}
	got := make([]byte, 3)
	if _, err := io.ReadFull(sink, got); err != nil || string(got) != "abc" {
		t.Fatalf("%q: %v", got, err)
	}
	closeIdle(t, pipes)
}

// A destination that fails leaves bytes in the pipe: they are lost and counted, and never appear in
// another connection.
func TestDestinationFails(t *testing.T) {
	src, feed := socketPair(t, "tcp")
	dst, sink := socketPair(t, "tcp")
	pipes := NewPool(1 * smallBytes)
	go func() {
		for p := make([]byte, 64<<10); ; {
			if _, err := feed.Write(p); err != nil {
				return
			}
		}
	}()
	go func() {
		io.CopyN(io.Discard, sink, 1<<20)
		sink.(*net.TCPConn).SetLinger(0)
		sink.Close()
	}()
	m, err := move(raw(t, dst), raw(t, src), 1<<40, pipes)
	if !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
		t.Fatalf("moved %d: %v", m.Bytes, err)
	}
	if !strings.Contains(err.Error(), "splice") || m.Bytes < 1<<20 {
		t.Errorf("moved %d: %v", m.Bytes, err)
	}
	if open, used := pipes.Open(); used != 0 || m.Lost > 0 && open != 0 {
		t.Errorf("%d pipes open, %d in use, with %d bytes lost", open, used, m.Lost)
	}
	feed.Close()
	closeIdle(t, pipes)
}

// A deadline ends the wait for the source without a loss.
func TestDeadline(t *testing.T) {
	src, feed := socketPair(t, "tcp")
	dst, sink := socketPair(t, "tcp")
	pipes := NewPool(1 * smallBytes)
	src.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	m, err := move(raw(t, dst), raw(t, src), 10, pipes)
	if !errors.Is(err, os.ErrDeadlineExceeded) || m.Bytes != 0 || m.Lost != 0 {
		t.Fatalf("moved %d, lost %d: %v", m.Bytes, m.Lost, err)
	}
	src.SetReadDeadline(time.Time{})
	if _, err := feed.Write([]byte("0123456789")); err != nil {
		t.Fatal(err)
	}
	if m, err = move(raw(t, dst), raw(t, src), 10, pipes); err != nil || m.Bytes != 10 {
		t.Fatalf("moved %d: %v", m.Bytes, err)
	}
	if _, err := io.ReadFull(sink, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	closeIdle(t, pipes)
}

func TestUnsupported(t *testing.T) {
	src, _ := socketPair(t, "tcp")
	file, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer packets.Close()
	pipes := NewPool(1 * smallBytes)
	for _, other := range []any{file, packets} {
		if m, err := move(raw(t, other), raw(t, src), 1, pipes); !errors.Is(err, errors.ErrUnsupported) || m != (Moved{}) {
			t.Errorf("to %T: %v, %v", other, m, err)
		}
		if m, err := move(raw(t, src), raw(t, other), 1, pipes); !errors.Is(err, errors.ErrUnsupported) || m != (Moved{}) {
			t.Errorf("from %T: %v, %v", other, m, err)
		}
	}
	closeIdle(t, pipes)
}

func TestPoolKeepsToItsSize(t *testing.T) {
	pipes := NewPool(3 * smallBytes)
	var all []*pipe
	for p := pipes.take(); p != nil; p = pipes.take() {
		all = append(all, p)
	}
	if len(all) != 3 {
		t.Fatalf("%d pipes of 3", len(all))
	}
	all[0].inside = 1 // closed, not returned to the pool
	for _, p := range all {
		pipes.put(p)
	}
	if open, used := pipes.Open(); open != 2 || used != 0 {
		t.Fatalf("%d open, %d in use", open, used)
	}
	busy := pipes.take()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if open, _ := pipes.Open(); open == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the idle pipe is still open")
		}
	}
	pipes.put(busy)
	closeIdle(t, pipes)
}

// The first pipes are large, the others small, and all stay within the budget.
func TestPipeSizes(t *testing.T) {
	pipes := NewPool(4 * largeBytes)
	var all []*pipe
	sizes := map[int]int{}
	for p := pipes.take(); p != nil; p = pipes.take() {
		all = append(all, p)
		size, err := unix.FcntlInt(uintptr(p.r), unix.F_GETPIPE_SZ, 0)
		if err != nil {
			t.Fatal(err)
		}
		sizes[size]++
	}
	// A user who has used up the budget gets smaller ones, but never one of two slots.
	for size := range sizes {
		if size < leastBytes {
			t.Errorf("%d pipes of %d bytes", sizes[size], size)
		}
	}
	if os.Geteuid() == 0 && (sizes[largeBytes] != 2 || sizes[smallBytes] != 8) {
		t.Errorf("pipes by size: %v", sizes)
	}
	for _, p := range all {
		pipes.put(p)
	}
	closeIdle(t, pipes)
	if pipes.spent != 0 {
		t.Errorf("%d bytes of the budget are spent on nothing", pipes.spent)
	}
}

func BenchmarkMove(b *testing.B) {
	src, feed := socketPair(b, "tcp")
	dst, sink := socketPair(b, "tcp")
	go func() {
		for p := make([]byte, 256<<10); ; {
			if _, err := feed.Write(p); err != nil {
				return
			}
		}
	}()
	go io.Copy(io.Discard, sink)
	pipes := SharedPool()
	b.SetBytes(1 << 20)
	b.ReportAllocs()
	var calls int64
	for b.Loop() {
		m, err := move(raw(b, dst), raw(b, src), 1<<20, pipes)
		if err != nil || m.Bytes != 1<<20 {
			b.Fatal(m, err)
		}
		calls += m.Calls
	}
	b.ReportMetric(float64(calls)/float64(b.N), "calls/op")
	feed.Close()
	sink.Close()
}

// move moves n bytes from src to dst with a Splicer of its own, or fewer if src ends.
func move(dst, src syscall.RawConn, n int64, pipes *PipePool) (Moved, error) {
	l, err := NewSplicer(dst, src, pipes, nil)
	if err != nil {
		return Moved{}, err
	}
	for left := n; left > 0; {
		m, err := l.Pass(left)
		left -= m
		if err == io.EOF {
			break
		}
		if err != nil {
			return l.Moved(), err
		}
	}
	return l.Moved(), nil
}
