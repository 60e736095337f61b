package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/quantile"
	"github.com/thresh-dev/thresh/receipt"
)

// Receipt tells what a job did.
type Receipt struct {
	Bytes   int64   `json:"bytes"`
	Seconds float64 `json:"seconds"` // of the job, which may answer other questions as well
	Rate    float64 `json:"bytes_per_second"`
	Cells   int     `json:"cells"`
	Ranges  int     `json:"ranges"`  // in which workers scanned them: more than planned if the runner has split some
	Workers int     `json:"workers"` // processes that scanned
	// Busy is how long the workers scanned, all together; Overhead how much of Seconds no cell explains: it is
	// Seconds less the time of the worker that was busy longest.
	Busy     float64 `json:"busy_seconds"`
	Overhead float64 `json:"overhead_seconds"`
	// Wall is what held most of the cells back, by their time, on the workers. The first cell of each range is looked
	// at, if it is not small.
	Wall       string      `json:"wall"`
	Stragglers []Straggler `json:"stragglers,omitempty"`
	Passes     int         `json:"passes"` // over the inputs: 2 for a quoted table in several cells
}

// Straggler is a cell that took much longer for its bytes than others.
type Straggler struct {
	Name    string  `json:"file"`
	Off     int64   `json:"offset"`
	Bytes   int64   `json:"bytes"`
	Worker  string  `json:"worker"`
	Seconds float64 `json:"seconds"`
	Median  float64 `json:"median_seconds"` // of all cells, for as many bytes
}

const (
	stragglerTimes = 2.0 // as long as the median
	stragglerLeast = 1.0 // seconds longer than it
	stragglersMax  = 5
)

// receipt describes a job that has ended; passes are those before.
func (m *mailbox) receipt(p *Plan, took time.Duration, passes []Receipt) Receipt {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := Receipt{Seconds: took.Seconds(), Cells: len(m.cells), Passes: 1 + len(passes), Wall: string(receipt.Unknown)}
	workers, walls := map[string]float64{}, map[string]float64{}
	ranges := map[cellKey]bool{}
	var paces []float64
	for _, d := range m.cells {
		ranges[cellKey{d.Input, d.From}] = true
		r.Bytes += d.Bytes
		r.Busy += d.Seconds
		workers[d.Worker] += d.Seconds
		walls[d.Wall] += d.Seconds
		if d.Bytes > 0 {
			paces = append(paces, d.Seconds/float64(d.Bytes))
		}
	}
	r.Ranges, r.Workers = len(ranges), len(workers)
	longest := 0.0
	for _, s := range workers {
		longest = max(longest, s)
	}
	for _, before := range passes {
		r.Bytes += before.Bytes
		r.Busy += before.Busy
		longest += before.Seconds - before.Overhead
	}
	r.Rate = float64(r.Bytes) / max(r.Seconds, 1e-9)
	r.Overhead = max(r.Seconds-longest, 0)
	most := 0.0
	for _, name := range slices.Sorted(maps.Keys(walls)) {
		if walls[name] > most && name != "" {
			r.Wall, most = name, walls[name]
		}
	}
	if r.Overhead > longest {
		r.Wall = "runner" // starting and ending the job took longer than the work
	}
	if len(paces) == 0 {
		return r
	}
	pace := quantile.Median(paces)
	for _, d := range m.cells {
		median := pace * float64(d.Bytes)
		if d.Seconds > stragglerTimes*median && d.Seconds > median+stragglerLeast {
			r.Stragglers = append(r.Stragglers, Straggler{p.Inputs[d.Input].Name, d.Off, d.Bytes, d.Worker, d.Seconds, median})
		}
	}
	slices.SortFunc(r.Stragglers, func(a, b Straggler) int { return cmp.Compare(b.Seconds, a.Seconds) })
	r.Stragglers = r.Stragglers[:min(len(r.Stragglers), stragglersMax)]
	return r
}

// text says for people how the job went.
func (r Receipt) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d cells in %d ranges on %d workers, busy for %.1f s; overhead %.2f s", r.Cells, r.Ranges, r.Workers,
		r.Busy, r.Overhead)
	if r.Passes > 1 {
		fmt.Fprintf(&b, "; %d passes, because fields are quoted", r.Passes)
	}
	fmt.Fprintf(&b, "; wall: %s", r.Wall)
	for _, s := range r.Stragglers {
		fmt.Fprintf(&b, "; slow: %s at %d (%s) on %s: %.1f s, where %.1f s are usual", s.Name, s.Off,
			bytesize.Precise(s.Bytes), s.Worker, s.Seconds, s.Median)
	}
	return b.String()
}
