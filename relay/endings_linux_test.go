package relay

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// side is one end of a connection whose ending is compared. Its methods note what that end saw.
type side struct {
	*net.TCPConn
	saw  []string
	meet chan struct{} // both ends have come so far
}

func (s *side) note(format string, args ...any) { s.saw = append(s.saw, fmt.Sprintf(format, args...)) }

// how names an error in the words of the table.
func how(err error) string {
	switch {
	case err == nil:
		return "an end"
	case isReset(err):
		return "a reset"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "nothing more"
	}
	return err.Error()
}

// read reads all that comes.
func (s *side) read() {
	n, err := io.Copy(io.Discard, struct{ io.Reader }{s.TCPConn})
	s.note("%d bytes and %s", n, how(err))
}

// take reads so many bytes.
func (s *side) take(n int64) {
	got, err := io.CopyN(io.Discard, struct{ io.Reader }{s.TCPConn}, n)
	s.note("%d bytes taken (%v)", got, err)
}

// write writes so many bytes and waits until the kernel of the other end of this connection has them.
func (s *side) write(n int) {
	wrote, err := s.Write(make([]byte, n))
	if err != nil {
		s.note("%s in %d bytes", how(err), n)
		return
	}
	raw, err := s.SyscallConn()
	for end := time.Now().Add(soon); err == nil && unsent(raw) > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	s.note("%d written", wrote)
}

// flood writes until that fails. How much fits is the network's matter.
func (s *side) flood() {
	s.SetWriteDeadline(time.Now().Add(soon))
	for {
		if _, err := s.Write(make([]byte, 64<<10)); err != nil {
			s.note("writing ends by %s", how(err))
			return
		}
	}
}

// silent checks that nothing happens for a while.
func (s *side) silent() {
	s.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	s.read()
	s.SetReadDeadline(time.Now().Add(soon))
}

func (s *side) half() { s.CloseWrite() }

func (s *side) reset() {
	s.SetLinger(0)
	s.Close()
}

// together waits until both ends have come here.
func (s *side) together() {
	select {
	case s.meet <- struct{}{}:
	case <-s.meet:
	case <-time.After(soon):
		s.note("the other end never came")
	}
}

// waits waits for a reset without writing anything, after the other end's stream has ended.
func (s *side) waits() {
	raw, err := s.SyscallConn()
	if err != nil {
		s.note("%v", err)
		return
	}
	code := 0
	err = raw.Read(func(fd uintptr) bool {
		code, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR)
		return err != nil || code != 0
	})
	if err == nil {
		err = syscall.Errno(code)
	}
	s.note("then %s", how(err))
}

// fails waits until writing fails, which takes a round trip.
func (s *side) fails() {
	for end := time.Now().Add(soon); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := s.Write([]byte{1}); err != nil {
			s.note("writing fails by %s", how(err))
			return
		}
	}
	s.note("writing goes on")
}

// endingKinds are what may happen to a connection, as the two ends do it. Each is run in both directions.
var endingKinds = []struct {
	name string
	a, b func(s *side)
}{
	{"closed at once", func(s *side) { s.Close() }, func(s *side) { s.read() }},
	{"reset at once", func(s *side) { s.together(); s.reset() }, func(s *side) { s.together(); s.read() }},
	{"half closed, then a reply", func(s *side) { s.write(10); s.half(); s.read() },
		func(s *side) { s.read(); s.write(1000); s.Close() }},
	{"both half closed at once", func(s *side) { s.together(); s.half(); s.read() },
		func(s *side) { s.together(); s.half(); s.read() }},
	{"bytes, then a close", func(s *side) { s.write(500_000); s.Close() }, func(s *side) { s.read() }},
	{"bytes, then a reset", func(s *side) { s.write(500_000); s.reset() }, func(s *side) { s.read() }},
	{"few bytes, then a reset", func(s *side) { s.write(100); s.reset() }, func(s *side) { s.read() }},
	{"many bytes, then a close", func(s *side) { s.write(5_000_000); s.Close() }, func(s *side) { s.read() }},
	{"many bytes, then a reset", func(s *side) { s.write(5_000_000); s.reset() }, func(s *side) { s.read() }},
	{"a reset in the middle of many", func(s *side) { s.take(3_000_000); s.reset() }, func(s *side) { s.flood() }},
	{"closed with bytes unread", func(s *side) { s.take(10); s.together(); s.Close() },
		func(s *side) { s.write(1000); s.together(); s.read() }},
	{"closed while the other sends", func(s *side) { s.take(100); s.Close() }, func(s *side) { s.flood() }},
	{"half closed while the other sends", func(s *side) { s.half(); s.read() },
		func(s *side) { s.write(2_000_000); s.read(); s.Close() }},
	{"a reset after a half close", func(s *side) { s.half(); s.together(); s.reset() },
		func(s *side) { s.read(); s.together(); s.fails() }},
	{"a reset after a half close, while the other waits", func(s *side) { s.half(); s.together(); s.reset() },
		func(s *side) { s.read(); s.together(); s.waits() }},
	{"a reset after a half close, many bytes before", func(s *side) { s.write(3_000_000); s.half(); s.together(); s.reset() },
		func(s *side) { s.read(); s.together(); s.fails() }},
	{"a reset by the one that reads", func(s *side) { s.read(); s.reset() },
		func(s *side) { s.write(1000); s.half(); s.read() }},
	{"a request, an answer, a close", func(s *side) { s.write(100); s.take(1000); s.Close() },
		func(s *side) { s.take(100); s.write(1000); s.read() }},
	{"a request, half an answer, a reset", func(s *side) { s.write(100); s.read() },
		func(s *side) { s.take(100); s.write(500); s.reset() }},
	{"both reset", func(s *side) { s.together(); s.reset() }, func(s *side) { s.together(); s.reset() }},
	{"left open", func(s *side) { s.silent(); s.together() }, func(s *side) { s.silent(); s.together() }},
	{"left open half closed", func(s *side) { s.half(); s.silent(); s.together() },
		func(s *side) { s.read(); s.together() }},
	{"bytes both ways, then a reset", func(s *side) { s.write(300_000); s.take(300_000); s.reset() },
		func(s *side) { s.take(300_000); s.write(300_000); s.read() }},
}

// What one end of a connection does, the other end sees, through a relay as without one.
func TestEndings(t *testing.T) {
	for _, e := range endingKinds {
		for _, turned := range []bool{false, true} {
			name, first, second := e.name, e.a, e.b
			if turned {
				name, first, second = e.name+", by the target", e.b, e.a
			}
			t.Run(name, func(t *testing.T) {
				direct := ends(t, false, first, second)
				through := ends(t, true, first, second)
				if direct != through {
					t.Errorf("without a relay:\n%s\nwith one:\n%s", direct, through)
				}
			})
		}
	}
}

// ends runs the two ends of one connection and returns what they saw.
func ends(t *testing.T, relayed bool, client, far func(*side)) string {
	t.Helper()
	meet := make(chan struct{})
	dialed := func() bool { return true }
	b := &side{meet: meet}
	done := make(chan struct{})
	at := target(t, "tcp", func(c half) {
		defer close(done)
		b.TCPConn = c.(*net.TCPConn)
		b.SetDeadline(time.Now().Add(soon))
		b.together() // a reset may not come before dialing ends
		far(b)
	})
	if relayed {
		r := start(t, at, Options{})
		at, dialed = r.addr, r.dialed
		defer eventually(t, "the relay's connection ends", func() bool { return r.Stats().Open == 0 })
	}
	a := &side{TCPConn: dial(t, at).(*net.TCPConn), meet: meet}
	a.SetDeadline(time.Now().Add(soon))
	eventually(t, "the target is dialed", dialed)
	a.together()
	client(a)
	<-done
	a.Close()
	return fmt.Sprintf("the client %q, the target %q", a.saw, b.saw)
}

// dialed reports whether a connection has both of its sides.
func (r *running) dialed() bool {
	r.Relay.mu.Lock()
	defer r.Relay.mu.Unlock()
	for p := range r.pairs {
		p.mu.Lock()
		both := p.target != nil
		p.mu.Unlock()
		if both {
			return true
		}
	}
	return false
}
