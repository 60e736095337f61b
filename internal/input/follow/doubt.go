package follow

import (
	"fmt"
	"time"
)

// doubt is the suspicion that a file was truncated: it is shorter than what was read of it, or what was read last is
// not there any more. A second look decides, at its size and at what it begins with. A smaller size alone does not:
// some network file systems show an old one for a while, and what was read would be read again. If the file begins as
// before, it must also grow while it is short.
type doubt struct {
	since time.Time
	low   int64 // the smallest size that was seen
	last  int64
}

func newDoubt(g *generation) *doubt {
	size := g.size()
	return &doubt{since: time.Now(), low: size, last: size}
}

// decide looks again at a file that may have been truncated. If it was, it is read from its start, or, if it begins as
// before, from where it was cut. It returns how much of p is the end of a line that was begun.
func (f *File) decide(g *generation, p []byte) int {
	d := g.doubt
	now := time.Now()
	if now.Sub(d.since) < f.o.Moment/4 {
		return 0
	}
	size, begin := g.size(), int64(0)
	switch sameHead := g.has(g.head[:min(int64(len(g.head)), size)], 0); {
	case !sameHead:
	case size >= g.off && g.has(g.tail, g.off-int64(len(g.tail))):
		g.doubt = nil
		return 0
	case size >= g.off && d.low >= g.off:
	case size >= g.off || size > d.last:
		begin = d.low
	default:
		d.low, d.last = min(d.low, size), size
		return 0
	}
	const clock = "15:04:05.000"
	f.o.Note(fmt.Sprintf("%s was truncated: what was written to it from %s to %s may be lost", f.path,
		g.at.Format(clock), now.Format(clock)))
	if err := g.seek(begin); err != nil { // it is shorter again
		*d = *newDoubt(g)
		return 0
	}
	g.doubt = nil
	return f.endLine(p)
}
