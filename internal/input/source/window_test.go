package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// faked is an object in memory. It counts the requests, and those at once.
type faked struct {
	data   []byte
	broken int64                                      // the offset that cannot be read; -1: none
	waits  func(ctx context.Context, off int64) error // before an answer; nil: none

	mu              sync.Mutex
	requests        int
	open, openMost  int
	bytes, bytesEnd int64
}

func (f *faked) Name() string                    { return "faked" }
func (f *faked) Bytes() int64                    { return int64(len(f.data)) }
func (f *faked) Traffic() (time.Duration, int64) { return 0, 0 }
func (f *faked) Close() error                    { return nil }

func (f *faked) ReadRange(ctx context.Context, off, end int64) io.ReadCloser {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	f.open++
	f.openMost = max(f.openMost, f.open)
	f.bytes += end - off
	f.bytesEnd = max(f.bytesEnd, end)
	return &answer{object: f, ctx: ctx, off: off, end: end}
}

var errFaked = errors.New("cannot be read")

type answer struct {
	object   *faked
	ctx      context.Context
	off, end int64
	waited   bool
}

func (a *answer) Read(p []byte) (int, error) {
	f := a.object
	if f.waits != nil && !a.waited {
		a.waited = true
		if err := f.waits(a.ctx, a.off); err != nil {
			return 0, err
		}
	}
	if a.off == f.broken {
		return 0, errFaked
	}
	if a.off == a.end {
		return 0, io.EOF
	}
	end := a.end
	if a.off < f.broken {
		end = min(end, f.broken)
	}
	n := copy(p[:min(len(p), 10_000)], f.data[a.off:end])
	a.off += int64(n)
	return n, nil
}

func (a *answer) Close() error {
	a.object.mu.Lock()
	defer a.object.mu.Unlock()
	a.object.open--
	return nil
}

func newFaked(n int) *faked {
	f := &faked{data: make([]byte, n), broken: -1}
	rand.NewChaCha8([32]byte{3}).Read(f.data)
	return f
}

// shortSegments makes windows take many segments of few bytes.
func shortSegments(t *testing.T) {
	segmentBytesMin.Set(1000)
	segmentBytesMax.Set(7000)
	t.Cleanup(func() {
		segmentBytesMin.Set(segmentBytesMin.Real())
		segmentBytesMax.Set(segmentBytesMax.Real())
	})
}

// TestWindowReads reads in order, overlapping, backwards and anywhere, in steps of all sizes, over the end too.
func TestWindowReads(t *testing.T) {
	shortSegments(t)
	f := newFaked(100_000)
	r := rand.New(rand.NewPCG(1, 2))
	w := newWindow(f)
	pos := int64(0)
	for range 3000 {
		switch r.IntN(10) {
		case 0:
			pos = r.Int64N(110_000)
		case 1:
			pos = max(0, pos-r.Int64N(3000))
		}
		p := make([]byte, r.IntN(3000))
		n, err := w.ReadAt(p, pos)
		want := f.data[min(pos, 100_000):min(pos+int64(len(p)), 100_000)]
		if !bytes.Equal(p[:n], want) || (err == io.EOF) != (len(want) < len(p)) || err != nil && err != io.EOF {
			t.Fatalf("%d bytes at %d: %d, %v", len(p), pos, n, err)
		}
		pos += int64(n)
	}
	if err := w.Close(); err != nil || f.open != 0 {
		t.Errorf("%d answers are open: %v", f.open, err)
	}
}

// TestWindowAhead reads in order: all of it is requested once, several segments at once, and of one that is only
// looked at, little more than was read.
func TestWindowAhead(t *testing.T) {
	shortSegments(t)
	f := newFaked(200_000)
	w := newWindow(f)
	got, err := io.ReadAll(io.NewSectionReader(w, 0, f.Bytes()))
	if err != nil || !bytes.Equal(got, f.data) {
		t.Errorf("%d bytes: %v", len(got), err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	// The first read does not know yet that others follow.
	if f.openMost > segmentsMax || f.bytes > f.Bytes()+600 {
		t.Errorf("%d requests, %d at once, for %d bytes", f.requests, f.openMost, f.bytes)
	}
	f = newFaked(200_000)
	w = newWindow(f)
	if _, err := w.ReadAt(make([]byte, 512), 100_000); err != nil || f.bytes != 512 {
		t.Errorf("%d bytes requested for 512: %v", f.bytes, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestWindowTogether answers no segment but the first until others are asked for: they must be requested while the
// first is waited for, or nothing ever arrives.
func TestWindowTogether(t *testing.T) {
	shortSegments(t)
	f := newFaked(50_000)
	second := make(chan struct{})
	var once sync.Once
	f.waits = func(ctx context.Context, off int64) error {
		if off > 100 {
			once.Do(func() { close(second) })
			return nil
		}
		if off == 0 {
			return nil // a direct read
		}
		select {
		case <-second:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	w := newWindow(f)
	defer w.Close()
	p := make([]byte, 100)
	for _, off := range []int64{0, 100} {
		if n, err := w.ReadAt(p, off); err != nil || !bytes.Equal(p, f.data[off:off+100]) {
			t.Fatalf("at %d: %d, %v", off, n, err)
		}
	}
}

// TestWindowBroken reads up to an offset that cannot be read, and meets the error there.
func TestWindowBroken(t *testing.T) {
	shortSegments(t)
	for _, at := range []int64{0, 1, 999, 1000, 1001, 4242, 49_999} {
		f := newFaked(50_000)
		f.broken = at
		w := newWindow(f)
		got, err := io.ReadAll(io.NewSectionReader(w, 0, f.Bytes()))
		if !errors.Is(err, errFaked) || !bytes.Equal(got, f.data[:at]) {
			t.Errorf("broken at %d: %d bytes, %v", at, len(got), err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWindowInterrupt ends a read that waits, and those that follow, until the window is resumed.
func TestWindowInterrupt(t *testing.T) {
	shortSegments(t)
	f := newFaked(50_000)
	began := make(chan struct{}, 100)
	var mu sync.Mutex
	hang := true
	f.waits = func(ctx context.Context, _ int64) error {
		mu.Lock()
		h := hang
		mu.Unlock()
		if !h {
			return nil
		}
		began <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	w := newWindow(f)
	go func() {
		<-began
		w.interrupt()
	}()
	p := make([]byte, 100)
	for range 2 {
		if n, err := w.ReadAt(p, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted: %d, %v", n, err)
		}
	}
	mu.Lock()
	hang = false
	mu.Unlock()
	w.resume()
	if n, err := w.ReadAt(p, 0); err != nil || !bytes.Equal(p, f.data[:100]) {
		t.Errorf("resumed: %d, %v", n, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestWindowTaken takes the window from a reader that waits for its segment, as a reader of what is around hits
// does: the first one asks for the rest by itself.
func TestWindowTaken(t *testing.T) {
	shortSegments(t)
	f := newFaked(60_000)
	waiting := make(chan struct{})
	var once sync.Once
	f.waits = func(ctx context.Context, off int64) (err error) {
		if off == 100 {
			once.Do(func() {
				close(waiting)
				<-ctx.Done()
				err = ctx.Err()
			})
		}
		return err
	}
	w := newWindow(f)
	read := func(off int64) {
		p := make([]byte, 100)
		if n, err := w.ReadAt(p, off); err != nil || !bytes.Equal(p, f.data[off:off+100]) {
			t.Errorf("at %d: %d, %v", off, n, err)
		}
	}
	read(0)
	var wg sync.WaitGroup
	wg.Go(func() { read(100) })
	<-waiting
	read(30_000)
	read(30_100)
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
