package relay

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if child(os.Getenv("RELAY_TEST_CHILD")) {
		return
	}
	goleak.VerifyTestMain(m)
}

// soon is long enough for anything that must happen on any machine.
const soon = 30 * time.Second

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(soon); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so within %v: %s", soon, what)
		}
	}
}

// running is a relay under test.
type running struct {
	*Relay
	addr net.Addr
	mu   sync.Mutex
	errs []error
}

func (r *running) reported() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.errs
}

// start runs a relay to an address, changed before it begins, until the test ends, and then checks that nothing
// is left over.
func start(t testing.TB, target net.Addr, o Options, changes ...func(*Relay)) *running {
	t.Helper()
	before := descriptors(t)
	name := target.String()
	if target.Network() == "unix" {
		name = "unix:" + name
	}
	r := &running{}
	o.ErrorLog = func(err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.errs = append(r.errs, err)
	}
	var err error
	if r.Relay, err = New(name, o); err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		change(r.Relay)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.addr = l.Addr()
	served := make(chan error, 1)
	go func() { served <- r.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), soon)
		defer cancel()
		if err := r.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, net.ErrClosed) {
			t.Errorf("Serve ended with %v", err)
		}
		s := r.Stats()
		var closed uint64
		for _, c := range r.metrics.closed {
			closed += c.Get()
		}
		if s.Open != 0 || int64(closed) != s.Connections {
			t.Errorf("%d open, %d closed of %d", s.Open, closed, s.Connections)
		}
		eventually(t, "as many descriptors as before", func() bool { return descriptors(t) <= before })
	})
	return r
}

// descriptors returns how many descriptors the process has, or 0 if that is unknown.
func descriptors(t testing.TB) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// target listens, calls serve with each connection, and returns its address. It ends with the test.
func target(t testing.TB, network string, serve func(c half)) net.Addr {
	t.Helper()
	addr := "127.0.0.1:0"
	if network == "unix" {
		addr = filepath.Join(t.TempDir(), "s")
	}
	l, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				serve(c.(half))
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		all.Wait()
	})
	return l.Addr()
}

// half is the common interface of TCP and unix connections.
type half interface {
	net.Conn
	CloseWrite() error
}

func dial(t testing.TB, addr net.Addr) half {
	t.Helper()
	c, err := net.Dial(addr.Network(), addr.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(2 * soon)); err != nil {
		t.Fatal(err)
	}
	return c.(half)
}

// turnedAway checks that a client of the relay at addr is reset: a clean end would look like an answer
// without a word in it. The reset may come before dialing ends.
func turnedAway(t testing.TB, addr net.Addr) {
	t.Helper()
	c, err := net.DialTimeout(addr.Network(), addr.String(), soon)
	if err == nil {
		defer c.Close()
		c.SetDeadline(time.Now().Add(soon))
		var n int
		if n, err = c.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if !isReset(err) {
		t.Errorf("not reset: %v", err)
	}
}

// isReset reports whether err is a connection's reset, which the kernel calls by two names.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// echo copies. Splices of package net would leave pipes until the next garbage collection, and the
// tests count descriptors.
func echo(c half) {
	if _, err := io.Copy(struct{ io.Writer }{c}, struct{ io.Reader }{c}); err == nil {
		c.CloseWrite()
	}
}

// talk sends n bytes in pieces of random sizes with pauses, closes its half, and returns the hash
// of what it sent.
func talk(t testing.TB, c half, seed uint64, n int) (sum [32]byte) {
	random := rand.New(rand.NewPCG(seed, 1))
	bytes := rand.NewChaCha8([32]byte{byte(seed)})
	hash := sha256.New()
	for n > 0 {
		p := make([]byte, min(n, 1+random.IntN(1<<(3+random.IntN(16)))))
		bytes.Read(p)
		hash.Write(p)
		if _, err := c.Write(p); err != nil {
			t.Error(err)
			return sum
		}
		n -= len(p)
		if random.IntN(30) == 0 {
			time.Sleep(time.Duration(random.IntN(1500)) * time.Microsecond)
		}
	}
	if err := c.CloseWrite(); err != nil {
		t.Error(err)
	}
	return [32]byte(hash.Sum(nil))
}

// listen returns the hash of all it receives.
func listen(t testing.TB, c half) [32]byte {
	hash := sha256.New()
	if _, err := io.Copy(hash, struct{ io.Reader }{c}); err != nil {
		t.Error(err)
	}
	return [32]byte(hash.Sum(nil))
}

// Both sides send at once, in random sizes and with pauses, and receive what the other one sent.
func TestBothWays(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		t.Run(network, func(t *testing.T) {
			const pairs, size = 6, 3 << 20
			sent, received := make(chan [32]byte, pairs), make(chan [32]byte, pairs)
			at := target(t, network, func(c half) {
				done := make(chan struct{})
				go func() {
					sent <- talk(t, c, 100, size)
					close(done)
				}()
				received <- listen(t, c)
				<-done
			})
			r := start(t, at, Options{})
			var all sync.WaitGroup
			var mu sync.Mutex
			answers := map[[32]byte]int{}
			count := func(sum [32]byte, by int) {
				mu.Lock()
				defer mu.Unlock()
				answers[sum] += by
			}
			for i := range uint64(pairs) {
				all.Go(func() {
					c := dial(t, r.addr)
					all.Go(func() { count(talk(t, c, i, size), 1) })
					count(listen(t, c), -1)
				})
			}
			all.Wait()
			for range pairs {
				count(<-sent, 1)
				count(<-received, -1)
			}
			for sum, n := range answers {
				if n != 0 {
					t.Errorf("%x was sent %d times more than received", sum[:4], n)
				}
			}
			eventually(t, "all connections end", func() bool { return r.Stats().Open == 0 })
			s := r.Stats()
			if s.Bytes != 2*pairs*size || s.Connections != pairs {
				t.Errorf("%d bytes of %d connections are counted", s.Bytes, s.Connections)
			}
			if s.Spliced == 0 && runtime.GOOS == "linux" {
				t.Error("none were spliced")
			}
		})
	}
}

// A busy direction is spliced and a quiet one copied, also when the same direction changes.
func TestBusyAndQuiet(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has splice")
	}
	r := start(t, target(t, "tcp", echo), Options{})
	c := dial(t, r.addr)
	word := make([]byte, 100)
	say := func(n int) {
		for range n {
			if _, err := c.Write(word); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(c, word); err != nil {
				t.Fatal(err)
			}
		}
	}
	say(100)
	if s := r.Stats(); s.Spliced != 0 {
		t.Errorf("%d bytes of small messages were spliced", s.Spliced)
	}
	const much = 8 << 20
	go c.Write(make([]byte, much))
	if _, err := io.CopyN(io.Discard, c, much); err != nil {
		t.Fatal(err)
	}
	busy := r.Stats().Spliced
	if busy < much {
		t.Errorf("%d of %d bytes were spliced", busy, 2*much)
	}
	say(2 * quietSteps)
	between := r.Stats().Spliced
	say(100)
	if s := r.Stats(); s.Spliced != between {
		t.Errorf("%d bytes of small messages were spliced after a busy time", s.Spliced-between)
	}
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(c); err != nil || len(rest) != 0 {
		t.Errorf("%d bytes at the end: %v", len(rest), err)
	}
}

// When one side ends its stream, the other one reads EOF and may go on.
func TestHalfClose(t *testing.T) {
	t.Run("client first", func(t *testing.T) {
		r := start(t, target(t, "tcp", func(c half) {
			question, err := io.ReadAll(c)
			if err != nil {
				t.Error(err)
			}
			c.Write(append([]byte("answer to "), question...))
		}), Options{})
		c := dial(t, r.addr)
		c.Write([]byte("question"))
		if err := c.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if answer, err := io.ReadAll(c); err != nil || string(answer) != "answer to question" {
			t.Errorf("%q: %v", answer, err)
		}
	})
	t.Run("target first", func(t *testing.T) {
		received := make(chan string, 1)
		r := start(t, target(t, "tcp", func(c half) {
			c.Write([]byte("greeting"))
			c.CloseWrite()
			text, err := io.ReadAll(c)
			if err != nil {
				t.Error(err)
			}
			received <- string(text)
		}), Options{})
		c := dial(t, r.addr)
		if greeting, err := io.ReadAll(c); err != nil || string(greeting) != "greeting" {
			t.Fatalf("%q: %v", greeting, err)
		}
		c.Write([]byte("reply"))
		if err := c.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if text := <-received; text != "reply" {
			t.Errorf("the target received %q", text)
		}
	})
}

// A reset on one side resets the other.
func TestReset(t *testing.T) {
	for _, side := range []string{"client", "target"} {
		t.Run(side, func(t *testing.T) {
			ended := make(chan struct{})
			r := start(t, target(t, "tcp", func(c half) {
				if side == "target" {
					io.ReadFull(c, make([]byte, 4))
					c.(*net.TCPConn).SetLinger(0)
					return
				}
				if _, err := io.Copy(io.Discard, c); !isReset(err) {
					t.Errorf("the target saw %v", err)
				}
				close(ended)
			}), Options{})
			c := dial(t, r.addr)
			c.Write([]byte("word"))
			if side == "client" {
				eventually(t, "the word is passed on", func() bool { return r.Stats().Bytes == 4 })
				c.(*net.TCPConn).SetLinger(0)
				c.Close()
				<-ended
			} else if n, err := io.Copy(io.Discard, c); n != 0 || !isReset(err) {
				t.Errorf("%d bytes: %v", n, err)
			}
			eventually(t, "the connection ends", func() bool { return r.Stats().Open == 0 })
			if n := r.metrics.closed[endFailure].Get(); n != 1 {
				t.Errorf("%d connections ended by failure", n)
			}
		})
	}
}

// Clients vanish in the middle, with bytes in flight in both directions.
func TestVanish(t *testing.T) {
	r := start(t, target(t, "tcp", echo), Options{})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			c := dial(t, r.addr)
			for range 1 + rand.IntN(40) {
				if _, err := c.Write(make([]byte, 64<<10)); err != nil {
					t.Error(err)
				}
				io.CopyN(io.Discard, c, 16<<10)
			}
			if rand.IntN(2) == 0 {
				c.(*net.TCPConn).SetLinger(0)
			}
			c.Close()
		})
	}
	all.Wait()
	eventually(t, "all connections end", func() bool { return r.Stats().Open == 0 })
}
