package blank

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/machine/wall"
	"github.com/thresh-dev/thresh/receipt"
)

// Summary is what was found in a range. Summaries of neighbouring ranges compose, whatever the order
// in which they were made; an interrupted run is resumed by composing what came before with the rest.
type Summary struct {
	Off    int64  `json:"from"`
	End    int64  `json:"to"`
	Read   int64  `json:"read"`            // bytes
	Holes  int64  `json:"holes,omitempty"` // bytes that are in holes of an image file: they were not read
	First  *int64 `json:"first,omitempty"` // offset of the first byte that is not as the pattern says
	Other  Ranges `json:"other"`           // sectors with such bytes
	Unread Ranges `json:"unread"`
}

// join adds the summary of what follows.
func (s *Summary) join(next Summary, limit int) {
	if s.End != next.Off {
		panic(fmt.Sprintf("thresh: bug: a summary from %d on joined to one that ends at %d", next.Off, s.End))
	}
	s.End = next.End
	s.Read += next.Read
	s.Holes += next.Holes
	if s.First == nil {
		s.First = next.First
	}
	s.Other.join(next.Other, limit)
	s.Unread.join(next.Unread, limit)
}

// check returns an error for a summary, read from a journal, that cannot follow one that ends at off.
func (s Summary) check(off int64) error {
	if s.Off != off || s.End < s.Off || s.Read < 0 || s.Holes < 0 {
		return fmt.Errorf("a record of the bytes from %d to %d follows one that ends at %d", s.Off, s.End, off)
	}
	for _, r := range []Ranges{s.Other, s.Unread} {
		if n := int64(len(r.List)); r.Count < n || r.Count > 0 && n == 0 {
			return fmt.Errorf("a record lists %d of %d ranges", n, r.Count)
		}
	}
	return nil
}

// clone returns a copy that later joins do not change.
func (s Summary) clone() Summary {
	s.Other.List = slices.Clone(s.Other.List)
	s.Unread.List = slices.Clone(s.Unread.List)
	return s
}

// tracker puts the summaries of pieces together. Workers finish pieces in any order: what is
// finished ahead waits in islands. Neighbouring islands are joined at once and pieces are handed out
// in ascending order, so there are no more islands than pieces in work.
type tracker struct {
	limit int

	mu      sync.Mutex
	done    Summary // from the start on, without a gap
	since   Summary // the part of done since the last call of take
	full    [2]bool // the lists of done, other and unread, were at that call
	islands []Summary
}

func newTracker(off int64, limit int) *tracker {
	start := Summary{Off: off, End: off}
	return &tracker{limit: limit, done: start, since: start}
}

// add adds the summary of a finished piece.
func (t *tracker) add(s Summary) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i, _ := slices.BinarySearchFunc(t.islands, s.Off, func(a Summary, off int64) int { return cmp.Compare(a.Off, off) })
	if i > 0 && t.islands[i-1].End == s.Off {
		i--
		t.islands[i].join(s, t.limit)
	} else {
		t.islands = slices.Insert(t.islands, i, s)
	}
	if i+1 < len(t.islands) && t.islands[i].End == t.islands[i+1].Off {
		t.islands[i].join(t.islands[i+1], t.limit)
		t.islands = slices.Delete(t.islands, i+1, i+2)
	}
	if t.islands[0].Off == t.done.End {
		first := t.islands[0]
		t.since.join(first.clone(), t.limit)
		t.done.join(first, t.limit)
		t.islands = slices.Delete(t.islands, 0, 1)
	}
}

// take returns the summary of what was finished since the last call, up to the first gap. Where the
// list of all ranges was full before, it lists no more than composing needs.
func (t *tracker) take() Summary {
	t.mu.Lock()
	defer t.mu.Unlock()
	since := t.since
	t.since = Summary{Off: since.End, End: since.End}
	for i, r := range []*Ranges{&since.Other, &since.Unread} {
		if t.full[i] {
			r.List = r.List[:min(1, len(r.List))]
		}
	}
	t.full = [2]bool{t.done.Other.Unlisted() > 0, t.done.Unread.Unlisted() > 0}
	return since
}

// sofar returns the summary from the start up to the first gap.
func (t *tracker) sofar() Summary {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.done.clone()
}

// Watch measures a run over all its inputs.
type Watch struct {
	before wall.Snapshot
	began  time.Time
}

// StartWatch starts the measurement.
func StartWatch() (*Watch, error) {
	before, err := wall.Take()
	if err != nil {
		return nil, fmt.Errorf("counters for the receipt: %w", err)
	}
	return &Watch{before, time.Now()}, nil
}

// Receipt ends the measurement of a run that read so many bytes. If storage held it back, it is probed for
// up to a fifth of a second, to say how close the run came to it.
func (w *Watch) Receipt(ctx context.Context, inputs []*Input, read int64) (receipt.Receipt, error) {
	took := time.Since(w.began)
	after, err := wall.Take()
	if err != nil {
		return receipt.Receipt{}, fmt.Errorf("counters for the receipt: %w", err)
	}
	c := after.Sub(w.before)
	c.Wall, c.Scanned = took, read
	for _, in := range inputs {
		c.Workers += in.Workers
		c.Piped = c.Piped || in.file.Kind == source.Stream
	}
	// Figures of one device say nothing about several at once.
	var ceilings *limits.Ceilings
	if len(inputs) == 1 && inputs[0].file.Path() != "" {
		if known, err := limits.Load(inputs[0].file.Path()); err == nil {
			ceilings = known
		}
	}
	r := receipt.Receipt{Bytes: read, Seconds: took.Seconds(), BytesPerSecond: float64(read) / max(took.Seconds(), 1e-9),
		Kernel: newMatcher(inputs[0].options.Pattern).kernel()}
	wall.Divide(&r, c, wall.Probes{}, ceilings)
	if r.Wall == receipt.Storage {
		if p, err := probeStorage(ctx, min(probeTime, took/5), inputs); err == nil && p > 0 {
			wall.Divide(&r, c, wall.Probes{Storage: p}, ceilings)
		}
	}
	return r, nil
}
