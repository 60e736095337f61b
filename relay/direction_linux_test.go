package relay

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/thresh-dev/thresh/internal/net/splice"
)

// The thresholds that the documentation states. The code's own constants would follow a mistake.
const (
	documentedSmall = 8 << 10
	documentedBusy  = 256 << 10
	documentedQuiet = 16
	documentedCopy  = 32 << 10
)

// stepper drives a direction step by step, with as many bytes a step as the test says.
type stepper struct {
	t          *testing.T
	d          direction
	feed, sink net.Conn
	metrics    directionMetrics
}

// newStepper makes a direction between two sockets of a kind, which wrap may hide.
func newStepper(t *testing.T, kind, pipeBytes int, wrap func(net.Conn) net.Conn) *stepper {
	t.Helper()
	set := metrics.NewSet()
	s := &stepper{t: t, metrics: newDirectionMetrics(set, "test")}
	feed, src := socketPair(t, kind)
	dst, sink := socketPair(t, kind)
	s.feed, s.sink = feed, sink
	s.d.init(wrap(dst), wrap(src), &Relay{pipes: splice.NewPool(pipeBytes)}, &s.metrics)
	return s
}

func plain(c net.Conn) net.Conn { return c }

func socketPair(t *testing.T, kind int) (a, b net.Conn) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, kind|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ends [2]net.Conn
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "")
		c, err := net.FileConn(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		c.SetDeadline(time.Now().Add(soon))
		if err := c.(*net.UnixConn).SetWriteBuffer(200 << 10); err != nil {
			t.Fatal(err)
		}
		ends[i] = c
	}
	return ends[0], ends[1]
}

// step passes n bytes and returns whether they were spliced. All counts must agree.
func (s *stepper) step(n int) (spliced bool) {
	s.t.Helper()
	before := s.counts()
	if _, err := s.feed.Write(make([]byte, n)); err != nil {
		s.t.Fatal(err)
	}
	moved := int64(0)
	for steps := 0; moved < int64(n); steps++ {
		m, err := s.d.step()
		if err != nil || steps > 2 {
			s.t.Fatalf("step %d of %d bytes: %d, %v", steps, n, m, err)
		}
		moved += m
	}
	if _, err := io.ReadFull(s.sink, make([]byte, n)); err != nil {
		s.t.Fatal(err)
	}
	after := s.counts()
	if after.passed-before.passed != int64(n) || after.copied+after.spliced-before.copied-before.spliced != int64(n) {
		s.t.Fatalf("%d bytes passed: before %+v, after %+v", n, before, after)
	}
	spliced = after.spliced > before.spliced
	if spliced != (after.calls > before.calls+1) { // into the pipe and out of it
		s.t.Fatalf("before %+v, after %+v", before, after)
	}
	return spliced
}

type counts struct{ passed, copied, spliced, calls, noPipe int64 }

func (s *stepper) counts() counts {
	m := s.metrics
	return counts{s.d.passed.Load(), int64(m.byCopy.Get()), int64(m.bySplice.Get()), int64(m.splices.Get()), int64(m.noPipe.Get())}
}

// steps passes n bytes so many times and checks that all, or none, are spliced.
func (s *stepper) steps(times, n int, spliced bool) {
	s.t.Helper()
	for i := range times {
		if s.step(n) != spliced {
			s.t.Fatalf("step %d of %d with %d bytes: spliced is not %v", i+1, times, n, spliced)
		}
	}
}

const toBusy = documentedBusy / documentedSmall

// The exact steps at which a direction changes its way.
func TestThresholds(t *testing.T) {
	busy := func(t *testing.T) *stepper {
		s := newStepper(t, syscall.SOCK_STREAM, 4<<20, plain)
		s.steps(toBusy, documentedSmall, false)
		return s
	}
	t.Run("busy after so many bytes", func(t *testing.T) {
		s := busy(t)
		s.steps(10, documentedSmall, true)
	})
	t.Run("in steps of the largest copy", func(t *testing.T) {
		s := newStepper(t, syscall.SOCK_STREAM, 4<<20, plain)
		s.steps(documentedBusy/documentedCopy, documentedCopy, false)
		s.steps(1, documentedCopy, true)
	})
	t.Run("never by small steps", func(t *testing.T) {
		s := newStepper(t, syscall.SOCK_STREAM, 4<<20, plain)
		s.steps(5*toBusy, documentedSmall-1, false)
	})
	t.Run("a small step begins anew", func(t *testing.T) {
		s := newStepper(t, syscall.SOCK_STREAM, 4<<20, plain)
		s.steps(toBusy-1, documentedSmall, false)
		s.step(documentedSmall - 1)
		s.steps(toBusy, documentedSmall, false)
		s.steps(1, documentedSmall, true)
	})
	t.Run("quiet after so many small steps", func(t *testing.T) {
		s := busy(t)
		s.steps(documentedQuiet, documentedSmall-1, true)
		s.steps(3, documentedSmall-1, false)
		s.steps(toBusy, documentedSmall, false) // all of it again
		s.steps(documentedQuiet, 1, true)       // the count of small steps, too
		s.steps(1, 1, false)
	})
	t.Run("busy again without a small step", func(t *testing.T) {
		s := busy(t)
		s.steps(documentedQuiet, 1, true)
		s.steps(toBusy, documentedSmall, false)
		s.steps(1, documentedSmall, true)
	})
	t.Run("one step that is not small keeps it busy", func(t *testing.T) {
		s := busy(t)
		for range 3 {
			s.steps(documentedQuiet-1, documentedSmall-1, true)
			s.steps(1, documentedSmall, true)
		}
		s.steps(documentedQuiet, 1, true)
		s.steps(1, 1, false)
	})
}

// One step takes no more than a buffer by copy, and all that waits by splice.
func TestStepSizes(t *testing.T) {
	s := newStepper(t, syscall.SOCK_STREAM, 4<<20, plain)
	const much = 150 << 10
	if _, err := s.feed.Write(make([]byte, much)); err != nil {
		t.Fatal(err)
	}
	if n, err := s.d.step(); n != documentedCopy || err != nil {
		t.Errorf("a copy moves %d bytes, %v", n, err)
	}
	if _, err := io.ReadFull(s.sink, make([]byte, documentedCopy)); err != nil {
		t.Fatal(err)
	}
	s.d.busy = true
	calls := s.counts().calls
	if n, err := s.d.step(); n != much-documentedCopy || err != nil || s.counts().calls != calls+2 {
		t.Errorf("a splice moves %d bytes in %d calls, %v", n, s.counts().calls-calls, err)
	}
}

// Without a pipe a direction copies, and asks again only once it has proved busy again.
func TestNoPipe(t *testing.T) {
	s := newStepper(t, syscall.SOCK_STREAM, 0, plain)
	const times = 5
	s.steps(times*toBusy+1, documentedSmall, false)
	if c := s.counts(); c.noPipe != times || c.spliced != 0 {
		t.Errorf("%+v: want %d failures for %d times %d bytes", c, times, times, documentedBusy)
	}
}

// Sockets that cannot be spliced are tried once.
func TestCannotSplice(t *testing.T) {
	s := newStepper(t, syscall.SOCK_SEQPACKET, 4<<20, plain)
	s.steps(toBusy, documentedSmall, false)
	if !s.d.busy || s.d.cannotSplice {
		t.Errorf("busy %v, cannot splice %v", s.d.busy, s.d.cannotSplice)
	}
	s.steps(3*toBusy, documentedSmall, false)
	if c := s.counts(); s.d.busy || !s.d.cannotSplice || c.noPipe != 0 || c.calls != 0 {
		t.Errorf("busy %v, cannot splice %v, %+v", s.d.busy, s.d.cannotSplice, c)
	}
}

// A connection of another type is copied by its own methods, and its bytes count as progress, or
// IdleTimeout would cut it off.
func TestPlainProgress(t *testing.T) {
	s := newStepper(t, syscall.SOCK_STREAM, 4<<20, func(c net.Conn) net.Conn { return notEmpty{c, t} })
	s.steps(3*toBusy, documentedSmall, false)
	if s.d.busy || s.counts().calls != 0 {
		t.Errorf("busy %v, %+v", s.d.busy, s.counts())
	}
	s.sink.Close()
	if _, err := s.feed.Write([]byte("lost")); err != nil {
		t.Fatal(err)
	}
	passed := s.d.passed.Load()
	if n, err := s.d.step(); n != 0 || !errors.Is(err, syscall.EPIPE) || s.d.passed.Load() != passed {
		t.Errorf("to a closed connection: %d, %v, %d counted", n, err, s.d.passed.Load()-passed)
	}
}

// The end of a source is no write.
func TestPlainEnd(t *testing.T) {
	s := newStepper(t, syscall.SOCK_STREAM, 4<<20, func(c net.Conn) net.Conn { return notEmpty{c, t} })
	s.feed.Close()
	if n, err := s.d.step(); n != 0 || err != io.EOF {
		t.Errorf("at the end: %d, %v", n, err)
	}
}

// notEmpty fails the test if it is asked to write nothing.
type notEmpty struct {
	net.Conn
	t *testing.T
}

func (c notEmpty) Write(p []byte) (int, error) {
	if len(p) == 0 {
		c.t.Error("an empty write")
	}
	return c.Conn.Write(p)
}
