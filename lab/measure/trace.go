package measure

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/exp/trace"

	"github.com/thresh-dev/thresh/lab"
)

// summarize sums up the execution trace in a file.
func summarize(path string) (*lab.Execution, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	x, err := readTrace(f)
	if err != nil {
		return nil, fmt.Errorf("execution trace %s: %w", path, err)
	}
	x.File = path
	return x, nil
}

// traced is what is known of a trace up to an event.
type traced struct {
	sum        lab.Execution
	goroutines map[trace.GoID]*goroutine
	waits      waits
	alive      int64
	began      trace.Time
	stopped    trace.Time // when the world was stopped, 0 while it goes on
	own, gc    float64    // processor seconds
}

// goroutine is one that exists.
type goroutine struct {
	state     trace.GoState
	since     trace.Time // the state, or what it does in it, is the same
	collector bool       // it only collects garbage
	assists   bool       // it collects garbage now, because it allocates
}

// readTrace sums up an execution trace. The time of a goroutine that runs counts for the garbage collection
// if it is one of the collector's, or helps the collector in order to be allowed to allocate.
func readTrace(r io.Reader) (*lab.Execution, error) {
	events, err := trace.NewReader(r)
	if err != nil {
		return nil, err
	}
	t := &traced{goroutines: map[trace.GoID]*goroutine{}}
	var last trace.Time
	for n := 0; ; n++ {
		e, err := events.ReadEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if n == 0 {
			t.began = e.Time()
		}
		last = e.Time()
		t.event(e)
	}
	for _, g := range t.goroutines {
		t.spent(g, last)
	}
	x := t.sum
	if x.Seconds = last.Sub(t.began).Seconds(); x.Seconds > 0 {
		x.Running = (t.own + t.gc) / x.Seconds
	}
	if all := t.own + t.gc; all > 0 {
		x.GCShare = t.gc / all
	}
	x.WaitMedian, x.Wait99, x.WaitMax = t.waits.quantile(0.5), t.waits.quantile(0.99), t.waits.max.Seconds()
	return &x, nil
}

func (t *traced) event(e trace.Event) {
	switch e.Kind() {
	case trace.EventStateTransition:
		if change := e.StateTransition(); change.Resource.Kind == trace.ResourceGoroutine {
			from, to := change.Goroutine()
			t.change(change.Resource.Goroutine(), from, to, e.Time())
		}
	case trace.EventLabel:
		l := e.Label()
		if l.Resource.Kind == trace.ResourceGoroutine && strings.HasPrefix(l.Label, "GC ") {
			t.of(l.Resource.Goroutine(), e.Time()).collector = true
		}
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		t.inRange(e.Range(), e.Kind() != trace.EventRangeEnd, e.Time())
	}
}

// of returns a goroutine; one that was not known yet existed before the trace.
func (t *traced) of(id trace.GoID, at trace.Time) *goroutine {
	g := t.goroutines[id]
	if g == nil {
		g = &goroutine{since: at}
		t.goroutines[id] = g
		t.alive++
	}
	return g
}

// change gives a goroutine another state.
func (t *traced) change(id trace.GoID, from, to trace.GoState, at trace.Time) {
	g := t.of(id, at)
	t.spent(g, at)
	if from == trace.GoRunnable && to == trace.GoRunning && g.state == trace.GoRunnable {
		t.waits.add(at.Sub(g.since))
	}
	if from == trace.GoNotExist && to != trace.GoNotExist {
		t.sum.Goroutines++
	}
	t.sum.GoroutinesMost = max(t.sum.GoroutinesMost, t.alive)
	g.state, g.since = to, at
	if to == trace.GoNotExist {
		delete(t.goroutines, id)
		t.alive--
	}
}

// spent adds the time that a goroutine has run in its state until now.
func (t *traced) spent(g *goroutine, now trace.Time) {
	if g.state != trace.GoRunning {
		return
	}
	seconds := now.Sub(g.since).Seconds()
	if g.collector || g.assists {
		t.gc += seconds
	} else {
		t.own += seconds
	}
	g.since = now
}

// inRange begins or ends what lasts for some time.
func (t *traced) inRange(r trace.Range, begins bool, at trace.Time) {
	switch {
	case strings.HasPrefix(r.Name, "stop-the-world"):
		if begins {
			t.stopped = at
		} else if t.stopped != 0 {
			t.sum.Pauses += at.Sub(t.stopped).Seconds()
			t.stopped = 0
		}
	case r.Name == "GC concurrent mark phase" && begins:
		t.sum.GCs++
	case r.Name == "GC mark assist" && r.Scope.Kind == trace.ResourceGoroutine:
		g := t.of(r.Scope.Goroutine(), at)
		t.spent(g, at)
		g.assists = begins
	}
}

// waits counts durations by their size, eight classes for each doubling: a trace has millions of them.
type waits struct {
	classes map[int]int64
	count   int64
	max     time.Duration
}

// classesPerDoubling bounds the error of a quantile to about 9 %.
const classesPerDoubling = 8

func (w *waits) add(d time.Duration) {
	if w.classes == nil {
		w.classes = map[int]int64{}
	}
	w.classes[int(math.Floor(math.Log2(float64(max(1, d)))*classesPerDoubling))]++
	w.count++
	w.max = max(w.max, d)
}

// quantile returns the upper end of the class that holds a quantile, in seconds.
func (w *waits) quantile(q float64) float64 {
	rank := int64(math.Ceil(q * float64(w.count)))
	for _, class := range slices.Sorted(maps.Keys(w.classes)) {
		if rank -= w.classes[class]; rank <= 0 {
			ns := math.Exp2(float64(class+1) / classesPerDoubling)
			return math.Min(ns/1e9, w.max.Seconds())
		}
	}
	return 0
}
