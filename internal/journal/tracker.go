package journal

import (
	"cmp"
	"slices"
	"sync"
)

// Tracker puts the summaries of pieces together. Workers finish pieces in any order: what is
// finished ahead waits in islands. Neighbouring islands are joined at once and pieces are handed out
// in ascending order, so there are no more islands than pieces in work.
type Tracker struct {
	limit int

	mu      sync.Mutex
	done    Summary // from the start on, without a gap
	since   Summary // the part of done since the last call of Take
	full    [2]bool // the lists of done, other and unread, were at that call
	islands []Summary
}

// NewTracker returns the tracker of a run that continues after what an earlier one has done, which is the empty range
// at the start for a new one. At most limit ranges are listed.
func NewTracker(done Summary, limit int) *Tracker {
	return &Tracker{limit: limit, done: done.Clone(), since: Summary{Off: done.End, End: done.End}}
}

// Add adds the summary of a finished piece.
func (t *Tracker) Add(s Summary) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i, _ := slices.BinarySearchFunc(t.islands, s.Off, func(a Summary, off int64) int { return cmp.Compare(a.Off, off) })
	if i > 0 && t.islands[i-1].End == s.Off {
		i--
		t.islands[i].Join(s, t.limit)
	} else {
		t.islands = slices.Insert(t.islands, i, s)
	}
	if i+1 < len(t.islands) && t.islands[i].End == t.islands[i+1].Off {
		t.islands[i].Join(t.islands[i+1], t.limit)
		t.islands = slices.Delete(t.islands, i+1, i+2)
	}
	if t.islands[0].Off == t.done.End {
		first := t.islands[0]
		t.since.Join(first.Clone(), t.limit)
		t.done.Join(first, t.limit)
		t.islands = slices.Delete(t.islands, 0, 1)
	}
}

// Take returns the summary of what was finished since the last call, up to the first gap. Where the
// list of all ranges was full before, it lists no more than composing needs.
func (t *Tracker) Take() Summary {
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

// Sofar returns the summary from the start up to the first gap.
func (t *Tracker) Sofar() Summary {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.done.Clone()
}
