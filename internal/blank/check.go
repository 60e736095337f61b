// Package blank answers whether an input is blank: whether every byte of it is what a pattern says.
//
//	open an input, and say how it will be read                input.go, identity.go
//	read all of it by several workers, past the page cache    check.go, stream.go
//	compare; list sectors that differ, bounded                pattern.go, ranges.go, summary.go
//
// Package certificate below it makes the document that says so.
package blank

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/journal"
)

// Progress is how far a check has come. It may be read while the check runs.
type Progress struct {
	Bytes atomic.Int64 // read or skipped, in any order; those of a resumed run's earlier part too
	track *journal.Tracker
}

// Take returns the summary of what was finished since the last call of Take: a record for the journal.
func (p *Progress) Take() journal.Summary { return p.track.Take() }

// NewProgress returns the progress of a check that continues behind what an earlier run has done,
// which is the empty range at the start for a new one. At most limit ranges are listed.
func NewProgress(done journal.Summary, limit int) *Progress {
	p := &Progress{track: journal.NewTracker(done, limit)}
	p.Bytes.Store(done.End - done.Off)
	return p
}

// Check reads an input from where the progress stands to its end, and returns what was found from
// the start of the range on. With first it stops at any byte that is not as the pattern says, and
// the summary then has one such offset, not necessarily the lowest.
// If the context is cancelled, the summary ends before the range does, and the error is the
// context's. Ranges that cannot be read are in the summary, and are no error.
func (in *Input) Check(ctx context.Context, p *Progress, first bool) (journal.Summary, error) {
	c := &check{Input: in, ctx: ctx, Progress: p, first: first, match: newMatcher(in.options.Pattern)}
	c.cursor = source.Range{Off: p.track.Sofar().End, End: in.Range.End}
	var err error
	if in.file.Kind == source.Stream {
		err = c.stream()
	} else {
		err = c.pieces()
	}
	done := p.track.Sofar()
	if at := c.other.Load(); at != nil && first {
		done.First = at
		return done, err
	}
	if err == nil && !c.ended && done.End < in.Range.End {
		err = ctx.Err()
	}
	return done, err
}

// check is one run over an input.
type check struct {
	*Input
	*Progress
	ctx     context.Context
	match   *matcher
	first   bool
	other   atomic.Pointer[int64] // offset of a byte that differs, if first is set
	stopped atomic.Bool           // nothing more needs to be read
	ended   bool                  // the stream has

	mu     sync.Mutex
	cursor source.Range // what has not been handed out
	data   source.Range // data from the cursor on, as far as it is known
}

// pieces has all workers read pieces.
func (c *check) pieces() error {
	var wg sync.WaitGroup
	errs := make([]error, c.Workers)
	for i := range c.Workers {
		wg.Go(func() { errs[i] = c.work() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// work has one worker read pieces until none is left. An error ends the other workers too.
func (c *check) work() error {
	r, err := c.engine.Reader()
	if err != nil {
		c.stopped.Store(true)
		return err
	}
	var found journal.Summary // in the piece
	err = r.Run(c.next, func(p engine.Piece, b engine.Block, last bool) bool {
		if b.Off == p.Off { // for a mapping that lost pages, perhaps once more
			found = journal.Summary{Off: p.Off, End: p.Off}
		}
		c.see(&found, b)
		if last {
			c.track.Add(found)
			c.Bytes.Add(int64(p.Len))
		}
		return !c.stopped.Load()
	})
	if err != nil {
		c.stopped.Store(true)
	}
	return errors.Join(err, r.Close())
}

// next hands out the next piece. Holes on the way are summarised here: nothing is read of them.
func (c *check) next() (engine.Piece, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.ctx.Err() == nil && !c.stopped.Load() && c.cursor.Len() > 0 {
		if c.data.End <= c.cursor.Off {
			var err error
			if c.data, err = c.file.NextData(c.cursor.Off, c.cursor.End); err != nil {
				c.data = c.cursor // reading will find and report the error
			}
		}
		if hole := min(c.data.Off, c.cursor.End) - c.cursor.Off; hole > 0 {
			c.hole(source.Range{Off: c.cursor.Off, End: c.cursor.Off + hole})
			c.cursor.Off += hole
			continue
		}
		grain := c.pieceBytes
		end := min((c.cursor.Off/grain+1)*grain, c.data.End, c.cursor.End)
		p := engine.Piece{Off: c.cursor.Off, Len: int(end - c.cursor.Off)}
		c.cursor.Off = end
		return p, true
	}
	return engine.Piece{}, false
}

// hole adds a hole: zeros by definition, so that it is blank only if the pattern is zeros.
func (c *check) hole(r source.Range) {
	s := journal.Summary{Off: r.Off, End: r.End, Holes: r.Len()}
	if !c.match.isZero {
		c.differs(&s, r.Off)
		s.Other.Add(journal.Span{Off: r.Off, Len: r.Len()}, c.options.Limit)
	}
	c.track.Add(s)
	c.Bytes.Add(r.Len())
}

// see adds a block to the summary of its piece: the sectors that differ, or what is unread.
func (c *check) see(s *journal.Summary, b engine.Block) {
	next := journal.Summary{Off: b.Off, End: b.Off + int64(b.Len), Read: int64(b.Len)}
	if b.Err != nil {
		next.End = b.Off + b.Err.Len
		next.Unread = oneRange(b.Err)
		s.Join(next, c.options.Limit)
		return
	}
	data, sector := b.Data[:b.Len], c.SectorBytes
	for pos := 0; pos < len(data); {
		i := c.match.differs(data[pos:], b.Off+int64(pos))
		if i < 0 {
			break
		}
		at := b.Off + int64(pos+i)
		c.differs(&next, at)
		from, to := max(at/sector*sector, b.Off), min((at/sector+1)*sector, next.End)
		next.Other.Add(journal.Span{Off: from, Len: to - from}, c.options.Limit)
		if pos = int(to - b.Off); c.first {
			break
		}
	}
	s.Join(next, c.options.Limit)
}

// differs notes that the byte at an offset differs.
func (c *check) differs(s *journal.Summary, at int64) {
	if s.First == nil {
		s.First = &at
	}
	if c.first {
		c.other.Store(&at)
		c.stopped.Store(true)
	}
}

// oneRange returns the unread range of an error.
func oneRange(u *failure.UnreadError) (r journal.Ranges) {
	r.Add(journal.Span{Off: u.Off, Len: u.Len, Why: u.Err.Error()}, 1)
	return r
}
