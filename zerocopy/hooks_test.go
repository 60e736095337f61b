package zerocopy_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// steps records the calls of a hook.
type steps struct {
	allow  int64
	before []int64
	after  []int64
	fail   error // returned by the third Before
}

func (s *steps) Before(_ context.Context, want int64) (int64, error) {
	if s.before = append(s.before, want); len(s.before) == 3 && s.fail != nil {
		return 0, s.fail
	}
	if s.allow > 0 {
		want = min(want, s.allow)
	}
	return want, nil
}

func (s *steps) After(n int64, _ zerocopy.Method) { s.after = append(s.after, n) }

func sum(ns []int64) (total int64) {
	for _, n := range ns {
		total += n
	}
	return total
}

func TestHooksAllowLess(t *testing.T) {
	f, data := made(t, 1<<20)
	near, far := pair(t, "tcp")
	got := drained(far)
	outer, inner := &steps{allow: 100_000}, &steps{allow: 70_000}
	w := zerocopy.NewWriter(zerocopy.NewWriter(near, inner), outer)
	if n, err := io.Copy(w, f); n != 1<<20 || err != nil {
		t.Fatal(n, err)
	}
	near.Close()
	if !bytes.Equal(got(), data) {
		t.Error("other bytes arrived")
	}
	for _, s := range []*steps{outer, inner} {
		if sum(s.after) != 1<<20 || len(s.before) != len(s.after) || len(s.after) < 15 {
			t.Errorf("%d calls of Before, %d of After, %d bytes", len(s.before), len(s.after), sum(s.after))
		}
	}
	for _, want := range inner.before {
		if want > 100_000 {
			t.Errorf("the inner hook was asked for %d, the outer had allowed 100000", want)
		}
	}
}

func TestHookEndsTransfer(t *testing.T) {
	f, _ := made(t, 1<<20)
	near, far := pair(t, "tcp")
	got := drained(far)
	stop := errors.New("stop")
	first, second := &steps{allow: 1000}, &steps{fail: stop}
	n, err := io.Copy(zerocopy.NewWriter(near, first, second), f)
	near.Close()
	if n != 2000 || err != stop || len(got()) != 2000 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if len(first.after) != 3 || first.after[2] != 0 || len(second.after) != 2 {
		t.Errorf("After got %v and %v: want one for each Before without an error", first.after, second.after)
	}
}

func TestHookThatAllowsNone(t *testing.T) {
	none := zerocopy.NewReader(strings.NewReader("abc"), allowing(0))
	if _, err := none.Read(make([]byte, 3)); err == nil || !strings.Contains(err.Error(), "allows 0 bytes of 3") {
		t.Errorf("error %v", err)
	}
}

type allowing int64

func (a allowing) Before(_ context.Context, want int64) (int64, error) {
	return min(int64(a), want), nil
}
func (allowing) After(int64, zerocopy.Method) {}

func TestPlainReadsAndWrites(t *testing.T) {
	near, far := pair(t, "tcp")
	var in, out zerocopy.Counter
	c := zerocopy.NewConn(near, zerocopy.Hooks{
		Read: []zerocopy.Hook{zerocopy.Count(&in), allowing(2)}, Write: []zerocopy.Hook{allowing(1), zerocopy.Count(&out)},
	})
	if n, err := c.Write([]byte("hello")); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	p := make([]byte, 5)
	if _, err := io.ReadFull(far, p); err != nil || string(p) != "hello" {
		t.Fatalf("%q, %v", p, err)
	}
	if _, err := far.Write([]byte("world")); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(p[:2]); n < 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if out.Bytes(zerocopy.ByCopy) != 5 || in.Total() < 1 || in.Total() > 2 {
		t.Errorf("counted %d out, %d in", out.Total(), in.Total())
	}
}

// deadlines counts how often a deadline is set.
type deadlines struct{ n atomic.Int64 }

func (d *deadlines) SetWriteDeadline(time.Time) error { d.n.Add(1); return nil }
func (d *deadlines) SetReadDeadline(time.Time) error  { d.n.Add(1); return nil }

// Each slice that sent some bytes extends the deadline, so a slow reader is not cut off.
func TestWriteTimeoutIsOfAStep(t *testing.T) {
	f, data := made(t, 8<<20)
	near, far := pair(t, "tcp")
	if err := near.(*net.TCPConn).SetWriteBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	if err := far.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	got := drained(far)
	var d deadlines
	n, err := io.Copy(zerocopy.NewConn(near, zerocopy.Hooks{Write: []zerocopy.Hook{zerocopy.WriteTimeout(&d, time.Minute)}}), f)
	near.Close()
	if n != 8<<20 || err != nil || !bytes.Equal(got(), data) {
		t.Fatal(n, err)
	}
	if moved := d.n.Load(); moved < 12 {
		t.Errorf("8 MiB through buffers of 64 KiB moved the deadline %d times", moved)
	}
}

func TestWriteTimeoutEndsTransfer(t *testing.T) {
	f, _ := made(t, 32<<20)
	near, _ := pair(t, "tcp")
	c := zerocopy.NewConn(near, zerocopy.Hooks{Write: []zerocopy.Hook{zerocopy.WriteTimeout(near, 50*time.Millisecond)}})
	if _, err := zerocopy.Copy(c, zerocopy.NewReader(endless{})); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a peer that takes nothing: %v", err)
	}
	var timeout net.Error
	if _, err := zerocopy.Copy(c, f); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("a peer that takes nothing of a file: %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// A source that delivers few bytes at a time extends the deadline each time, also if they are
// spliced.
func TestReadTimeoutIsOfAStep(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		out, far := pair(t, network)
		in, feed := pair(t, "tcp")
		var d deadlines
		done := make(chan error, 1)
		go func() {
			n, err := io.Copy(out, zerocopy.NewReader(in, zerocopy.ReadTimeout(&d, time.Minute)))
			if n != 80 && err == nil {
				err = fmt.Errorf("%d bytes", n)
			}
			done <- err
		}()
		tick := make([]byte, 4)
		for range 20 {
			if _, err := feed.Write(tick); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(far, tick); err != nil {
				t.Fatal(err)
			}
		}
		feed.Close()
		if err := <-done; err != nil || d.n.Load() < 20 {
			t.Errorf("%s: 20 reads moved the deadline %d times: %v", network, d.n.Load(), err)
		}
	}
	in, _ := pair(t, "tcp")
	if _, err := io.Copy(io.Discard, zerocopy.NewReader(in, zerocopy.ReadTimeout(in, 30*time.Millisecond))); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a peer that sends nothing: %v", err)
	}
}

func TestLimiter(t *testing.T) {
	const rate, each, flows = 1 << 20, 256 << 10, 2
	l := zerocopy.NewLimiter(rate)
	var all sync.WaitGroup
	started := time.Now()
	for range flows {
		near, far := pair(t, "tcp")
		f, _ := made(t, each)
		got := drained(far)
		all.Go(func() {
			n, err := io.Copy(zerocopy.NewConn(near, zerocopy.Hooks{Write: []zerocopy.Hook{zerocopy.Limit(l)}}), f)
			near.Close()
			if n != each || err != nil || len(got()) != each {
				t.Errorf("%d bytes, %v", n, err)
			}
		})
	}
	all.Wait()
	// A lower bound only, because a limiter that lets more through is wrong on any machine. The
	// first slice of a tenth of a second is free, and so is the one of unused capacity.
	if took := time.Since(started); took < 250*time.Millisecond {
		t.Errorf("%d bytes at %d a second took %v", flows*each, rate, took)
	}
}

// TestLimiterIsIdle: from when on a new limiter would grant no more.
func TestLimiterIsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate, span = 10 << 20, 100 * time.Millisecond // of a slice
		l := zerocopy.NewLimiter(rate)
		if !l.Idle() || !zerocopy.NewLimiter(0).Idle() {
			t.Error("a new one is not idle")
		}
		hook := zerocopy.Limit(l)
		for slices := range 3 {
			n, err := hook.Before(t.Context(), 1<<30)
			if n != rate/10 || err != nil {
				t.Fatalf("%d bytes, %v", n, err)
			}
			hook.After(n, zerocopy.BySendfile)
			if l.Idle() {
				t.Errorf("idle after %d slices", slices+1)
			}
		}
		time.Sleep(2*span - time.Microsecond)
		if l.Idle() {
			t.Error("idle before the capacity is there again")
		}
		time.Sleep(2 * time.Microsecond)
		if !l.Idle() {
			t.Error("not idle although nothing was granted of late")
		}
	})
}

func TestCloseEndsWaitingHooks(t *testing.T) {
	near, _ := pair(t, "tcp")
	f, _ := made(t, 1<<20)
	c := zerocopy.NewConn(near, zerocopy.Hooks{Write: []zerocopy.Hook{zerocopy.Limit(zerocopy.NewLimiter(1))}})
	go func() {
		time.Sleep(20 * time.Millisecond)
		c.Close()
	}()
	if _, err := io.Copy(c, f); !errors.Is(err, net.ErrClosed) {
		t.Errorf("error %v", err)
	}
}

func TestProgressAndTrace(t *testing.T) {
	f, _ := made(t, 3<<20)
	near, far := pair(t, "tcp")
	got := drained(far)
	var totals []int64
	var events []zerocopy.Event
	r := zerocopy.NewReader(f, zerocopy.Progress(1<<20, func(n int64) { totals = append(totals, n) }),
		zerocopy.Trace(func(e zerocopy.Event) { events = append(events, e) }))
	if n, err := io.Copy(near, r); n != 3<<20 || err != nil {
		t.Fatal(n, err)
	}
	near.Close()
	got()
	if len(totals) != 3 || totals[2] != 3<<20 {
		t.Errorf("progress at %v", totals)
	}
	var went int64
	for i, e := range events {
		if e.Done != (i%2 == 1) {
			t.Fatalf("event %d is %+v", i, e)
		}
		if e.Done {
			went += e.Bytes
		}
		if e.Done && e.Bytes > 0 && e.Method != fast(zerocopy.BySendfile) {
			t.Errorf("event %+v", e)
		}
	}
	if went != 3<<20 {
		t.Errorf("events of %d bytes", went)
	}
}

func TestHalfClose(t *testing.T) {
	near, far := pair(t, "tcp")
	c := zerocopy.NewConn(near, zerocopy.Hooks{})
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(far); len(b) != 0 || err != nil {
		t.Fatal(b, err)
	}
	if _, err := far.Write([]byte("still")); err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 5)
	if _, err := io.ReadFull(c, p); err != nil || string(p) != "still" {
		t.Errorf("%q, %v", p, err)
	}
	if err := c.CloseRead(); err != nil {
		t.Error(err)
	}
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if err := zerocopy.NewConn(a, zerocopy.Hooks{}).CloseWrite(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("half-close of a net.Pipe: %v", err)
	}
}

func TestResponseWriterKeepsInterfaces(t *testing.T) {
	type pusher struct {
		http.ResponseWriter
		http.Pusher
	}
	type hijacker struct {
		http.ResponseWriter
		http.Hijacker
	}
	r := httptest.NewRequest("GET", "/", nil)
	plain := struct{ http.ResponseWriter }{httptest.NewRecorder()}
	for _, c := range []struct {
		w                    http.ResponseWriter
		flush, hijack, pushs bool
	}{
		{httptest.NewRecorder(), true, false, false}, {plain, false, false, false},
		{pusher{plain, nil}, false, false, true}, {hijacker{plain, nil}, false, true, false},
	} {
		w := zerocopy.NewResponseWriter(c.w, r)
		_, f := w.(http.Flusher)
		_, h := w.(http.Hijacker)
		_, p := w.(http.Pusher)
		if f != c.flush || h != c.hijack || p != c.pushs {
			t.Errorf("%T became a Flusher %v, Hijacker %v, Pusher %v", c.w, f, h, p)
		}
		if got := w.(interface{ Unwrap() http.ResponseWriter }).Unwrap(); got != c.w {
			t.Errorf("%T unwraps to %T", c.w, got)
		}
	}
}

func TestResponseWriterCountsTheBody(t *testing.T) {
	f, data := made(t, 2<<20)
	var c zerocopy.Counter
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(zerocopy.NewResponseWriter(w, r, zerocopy.Count(&c)), r, "data", time.Time{}, f)
	}))
	defer srv.Close() // a second time does nothing
	res := must(srv.Client().Get(srv.URL))
	defer res.Body.Close()
	if b := must(io.ReadAll(res.Body)); !bytes.Equal(b, data) {
		t.Fatalf("%d bytes", len(b))
	}
	srv.Close() // the client may have all bytes before the handler has counted them
	if c.Total() != int64(len(data)) || c.Bytes(fast(zerocopy.BySendfile)) != c.Total() {
		t.Errorf("counted %d, by sendfile %d", c.Total(), c.Bytes(fast(zerocopy.BySendfile)))
	}
}

func TestSectionReads(t *testing.T) {
	f, data := made(t, 1000)
	s := zerocopy.NewSection(f, 100, 500, make(zerocopy.Semaphore, 1))
	plain := io.NewSectionReader(f, 100, 500)
	for _, r := range []io.ReadSeeker{s, plain} {
		if n := must(r.Seek(-50, io.SeekEnd)); n != 450 {
			t.Errorf("%T: seek to %d", r, n)
		}
		if b := must(io.ReadAll(r)); !bytes.Equal(b, data[550:600]) {
			t.Errorf("%T: %d bytes", r, len(b))
		}
		if _, err := r.Seek(-1, io.SeekStart); err == nil {
			t.Errorf("%T: no error of a negative offset", r)
		}
		if n := must(r.Seek(700, io.SeekStart)); n != 700 {
			t.Errorf("%T: seek to %d", r, n)
		}
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%T: past the end: %d, %v", r, n, err)
		}
	}
	p := make([]byte, 20)
	if n, err := s.ReadAt(p, 490); n != 10 || err != io.EOF || !bytes.Equal(p[:10], data[590:600]) {
		t.Errorf("ReadAt over the end: %d, %v", n, err)
	}
	if s.Size() != 500 {
		t.Errorf("size %d", s.Size())
	}
}

// A file that has become shorter ends the transfer without losing count.
func TestTruncatedFile(t *testing.T) {
	f, _ := made(t, 1<<20)
	near, far := pair(t, "tcp")
	got := drained(far)
	if err := os.Truncate(f.Name(), 1000); err != nil {
		t.Fatal(err)
	}
	r, err := zerocopy.SendFile(near, f, 0, 1<<20)
	near.Close()
	if r.Total() != 1000 || err != nil || len(got()) != 1000 {
		t.Errorf("%d bytes, %v", r.Total(), err)
	}
	if r, err = zerocopy.CopyN(io.Discard, strings.NewReader("abc"), 5); r.Total() != 3 || err != io.EOF {
		t.Errorf("CopyN: %d, %v", r.Total(), err)
	}
}
