package logtime

import (
	"fmt"
	"time"
)

// at returns the time of a line. If clocks show it twice, and the line does not say which, the order of the lines does:
// from the first line on whose time is before the one of the line before, it is the later one.
func (b *bisection) at(off int64, s stamp) (time.Time, error) {
	at, err := b.format.resolve(s)
	if err != nil {
		return at, fmt.Errorf("%s at %d: %w", b.file.Name, off, err)
	}
	first, second, ok := b.format.twice(s, at)
	if !ok || b.plain {
		return at, nil
	}
	step, err := b.step(first, second.Sub(first))
	if err != nil || off < step {
		return first, err
	}
	return second, nil
}

// hourEnd returns when the first hour ends of two that clocks show, of which a time is in the first one.
func hourEnd(first time.Time) int64 {
	_, end := first.ZoneBounds()
	return end.Unix()
}

// step returns where the lines begin that have the later one of two times, of which first is the earlier one.
func (b *bisection) step(first time.Time, back time.Duration) (int64, error) {
	_, end := first.ZoneBounds()
	if step, ok := b.steps[hourEnd(first)]; ok {
		return step, nil
	}
	block, off := b.block, b.off // which the caller looks at
	b.block, b.plain = nil, true
	defer func() { b.block, b.off, b.plain = block, off, false }()
	begin, err := b.first(b.span.Off, end.Add(-back))
	if err != nil {
		return 0, err
	}
	last, err := b.first(begin, end)
	if err != nil {
		return 0, err
	}
	step, err := b.descent(begin, last)
	if b.steps == nil {
		b.steps = map[int64]int64{}
	}
	b.steps[hourEnd(first)] = step
	return step, err
}

// eachLineBytes is a range whose lines are all looked at. In a larger one a second hour that lies between two of
// thousands of places is not seen.
const eachLineBytes = 16 << 20

// descent returns the first line of a range whose time is before the one of the line before; the end if there is none.
func (b *bisection) descent(begin, end int64) (int64, error) {
	for _, parts := range []int64{64, 4096, end - begin} {
		if parts > 4096 && parts > eachLineBytes {
			break
		}
		last := sighting{off: -1}
		for i := int64(0); i < parts; i++ {
			from := begin + int64(float64(end-begin)*float64(i)/float64(parts))
			if from <= last.off {
				i += (last.off - from) * parts / (end - begin)
				continue
			}
			s, err := b.next(from, end)
			if err != nil {
				return 0, err
			}
			if s.off == end {
				break
			}
			if last.off >= 0 && s.at.Before(last.at) {
				return b.search(last.off+1, s.off, func(at time.Time) bool { return at.Before(last.at) })
			}
			last = s
		}
	}
	return end, nil
}
