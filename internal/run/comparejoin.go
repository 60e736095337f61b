package run

import (
	"errors"
	"math"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine/pair"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/options"
)

// joiner makes ranges of runs of bytes that differ, some of which end where a block of the scan did.
type joiner struct {
	block int64
	span  source.Range
	visit func([]answer.Hit) error

	open  answer.Hit // Len is 0 if there is none
	first int64
	count int64
}

func (j *joiner) add(hits []answer.Hit) error {
	if j.count == 0 {
		j.first = hits[0].Off
	}
	out := hits[:0:0]
	for _, h := range hits {
		if j.block > 1 {
			end := h.Off + h.Len - 1
			h.Off = max(h.Off/j.block*j.block, j.span.Off)
			h.Len = min((end/j.block+1)*j.block, j.span.End) - h.Off
		}
		if j.open.Len > 0 && h.Off <= j.open.Off+j.open.Len {
			j.open.Len = max(j.open.Len, h.Off+h.Len-j.open.Off)
			continue
		}
		if j.open.Len > 0 {
			out = append(out, j.open)
		}
		j.open = h
		j.count++
	}
	if len(out) == 0 {
		return nil
	}
	return j.visit(out)
}

// flush passes on the last range, as far as the inputs turned out to go.
func (j *joiner) flush(end int64) error {
	if j.open.Len == 0 {
		return nil
	}
	last := j.open
	last.Len = min(last.Len, end-last.Off)
	j.open.Len = 0
	return j.visit([]answer.Hit{last})
}

// cut passes on what the last range has before an offset. What comes after is another one.
func (j *joiner) cut(off int64) error {
	before := j.open
	if before.Len = min(before.Len, off-before.Off); before.Len <= 0 {
		return nil
	}
	if j.open.Off, j.open.Len = off, j.open.Len-before.Len; j.open.Len > 0 {
		j.count++
	}
	return j.visit([]answer.Hit{before})
}

// settling tells the caller up to where all is compared. Its offsets are those of the input that is read first.
type settling struct {
	*comparison
	ranges  *joiner
	off     int64
	skipped int64
}

// settle is the job's Settled.
func (s *settling) settle(off, skipped int64, unread []failure.UnreadError) error {
	s.off = off
	s.skipped += skipped
	if err := s.ranges.cut(off + s.back()); err != nil {
		return err
	}
	at := max(off+s.back(), s.spec.Offset) // which may lie after the end
	now := options.Settled{Off: at, Skipped: skipped, Direct: s.areDirect()}
	for _, u := range unread {
		u.Off += s.back()
		which := s.theirs(0)
		if other := new(pair.OtherError); errors.As(u.Err, &other) {
			u.Err, which = other.Err, s.theirs(1)
		}
		now.Unread[which] = append(now.Unread[which], u)
	}
	return s.spec.Settled(now)
}

// end tells the caller about the rest of a comparison that came to its end.
func (s *settling) end(r Report) error {
	first, second := s.lengths(r)
	left := source.Range{Off: s.off, End: math.MaxInt64}
	return s.settle(s.offs[0]+min(first, second), r.Skipped-s.skipped, scan.Within(r.Unread, left))
}
