package count

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/histogram"
	"github.com/thresh-dev/thresh/internal/kernel/rows"
	"github.com/thresh-dev/thresh/internal/kernel/stats"
	"github.com/thresh-dev/thresh/internal/kernel/words"
)

// Partial is the result of a part of an input, in a form that can be sent to another process. Only the fields
// that the query needs are set.
type Partial struct {
	Off, End  int64 // the part
	Count     int64
	Last      byte // the byte before End, if the query needs it
	LastKnown bool
	First     []byte // of the first part: the bytes that may be a byte-order mark
	Stats     *stats.State
	Bins      *histogram.State
	Rows      *rows.State  // the records of the part for every state in which it may begin
	Text      *words.State // lines, words and characters of the part, for both states in which it may begin
	Reaches   []Step       // the occurrences of the part for every reach, see disjoint
}

// Partial returns the result of the part that was counted. The part must have been read to its end, and all
// workers must have ended.
func (r *Run) Partial(part source.Range) (*Partial, error) {
	result, err := r.sum()
	if err != nil {
		return nil, err
	}
	p, err := partialOf(&result, part)
	if err == nil && result.rows != nil && part.Off == r.span.Off {
		first := result.rows.first.bytes[:]
		p.First = slices.Clone(first[:min(int64(len(first)), max(0, p.End-part.Off))])
	}
	return p, err
}

// partialOf returns a result of a part before the end of the input is known.
func partialOf(result *Result, part source.Range) (*Partial, error) {
	p := &Partial{Off: part.Off, End: part.End, Count: result.Count}
	if last := result.last; last.end > 0 {
		p.Last, p.LastKnown, p.End = last.value, true, last.end // the end of a stream is known only now
	}
	if result.summary != nil {
		p.Stats = result.summary.State()
	}
	if result.bins != nil {
		p.Bins = result.bins.State()
	}
	if result.rows != nil {
		if err := each(result.rows.order.Stretches(), func(s rows.Summary) { p.Rows = s.State() }); err != nil {
			return nil, err
		}
	}
	if result.text != nil {
		if err := each(result.text.order.Stretches(), func(s words.Summary) { p.Text = s.State() }); err != nil {
			return nil, err
		}
	}
	if result.reaches != nil {
		if err := each(result.reaches.Stretches(), func(s reaches) { p.Reaches = s }); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// each passes on the one summary of a part; an empty part has none.
func each[T any](stretches []T, take func(T)) error {
	if len(stretches) > 1 {
		return fmt.Errorf("a part with %d gaps has no partial result", len(stretches)-1)
	}
	for _, s := range stretches {
		take(s)
	}
	return nil
}

// Compose returns the result of an input from those of all its parts, without the figures of Total. It changes
// the order of the parts. A part that is missing, or that occurs twice, is an error.
func (c *Counter) Compose(parts []*Partial) (result Result, err error) {
	if len(parts) == 0 {
		return result, nil
	}
	joined, err := c.Join(parts)
	if err == nil && len(joined) > 1 {
		err = fmt.Errorf("the parts end at %d and go on at %d", joined[0].End, joined[1].Off)
	}
	if err != nil {
		return result, err
	}
	whole := joined[0]
	run := &Run{counter: c, span: source.Range{Off: whole.Off, End: whole.End}}
	if err := c.compose(&result, c.begin(run)(), whole); err != nil {
		return result, err
	}
	if c.finish != nil {
		c.finish(&result)
	}
	return result, nil
}

// Join joins neighbouring parts of an input, as far as there are any, and returns them in order. It changes the
// order of the parts.
func (c *Counter) Join(parts []*Partial) (joined []*Partial, err error) {
	slices.SortFunc(parts, func(a, b *Partial) int { return cmp.Or(cmp.Compare(a.Off, b.Off), cmp.Compare(a.End, b.End)) })
	for len(parts) > 0 {
		n := 1
		for n < len(parts) && parts[n-1].End == parts[n].Off {
			n++
		}
		next := parts[0]
		if n > 1 {
			if next, err = c.join(parts[:n]); err != nil {
				return nil, err
			}
		}
		joined, parts = append(joined, next), parts[n:]
	}
	return joined, nil
}

func (c *Counter) join(parts []*Partial) (*Partial, error) {
	span := source.Range{Off: parts[0].Off, End: parts[len(parts)-1].End}
	run := &Run{counter: c, span: span}
	fresh := c.begin(run)()
	var result Result
	for _, p := range parts {
		if err := c.compose(&result, fresh, p); err != nil {
			return nil, err
		}
	}
	whole, err := partialOf(&result, span)
	if err == nil {
		whole.First = parts[0].First
	}
	return whole, err
}

// compose adds a part to the result of its input. Fresh is a partial result of the query.
func (c *Counter) compose(result *Result, fresh partial, p *Partial) error {
	part := source.Range{Off: p.Off, End: p.End}
	result.Count += p.Count
	if p.LastKnown {
		result.last.see(lastByte{end: p.End, value: p.Last})
	}
	switch t := fresh.(type) {
	case *summed:
		if p.Stats != nil {
			s := t.summary
			if result.summary == nil {
				result.summary = s
			}
			return result.summary.AddState(p.Stats)
		}
	case *bins:
		if p.Bins != nil {
			if result.bins == nil {
				result.bins = t.counter
			}
			return result.bins.AddState(p.Bins)
		}
	case *records:
		result.rows = t
		copy(t.first.bytes[:], p.First)
		if p.Rows != nil {
			sum, err := p.Rows.Summary()
			if err != nil {
				return err
			}
			t.order.Add(part, sum)
		}
	case *summarized:
		result.text = t
		if p.Text != nil {
			t.order.Add(part, p.Text.Summary())
		}
	case *disjoint:
		result.reaches = t.order
		if len(p.Reaches) > 0 {
			if err := reaches(p.Reaches).check(t.longest); err != nil {
				return err
			}
			t.order.Add(part, p.Reaches)
		}
	}
	return nil
}
