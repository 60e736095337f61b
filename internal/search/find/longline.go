package find

import (
	"bytes"
	"sync"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/regex"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// sharedLines is the state that the workers on one input share.
type sharedLines struct {
	// For each block of a stream, the search of the line that is open where the block begins.
	// It is nil if an earlier block has searched that line to its end.
	open *scan.Handoff[*regex.Line]

	once   sync.Once
	origin int64 // of the first block, if the range begins with a hole
}

func newSharedLines(span source.Range) *sharedLines {
	return &sharedLines{open: scan.NewHandoff[*regex.Line](span.Off, nil)}
}

// afterHole returns where the first block of the range begins if holes are skipped.
func (s *sharedLines) afterHole(l *lines) int64 {
	s.once.Do(func() {
		data, err := l.File.NextData(l.Range.Off, l.Range.End)
		if s.origin = max(data.Off-int64(l.ahead), l.Range.Off); err != nil {
			s.origin = l.Range.Off // the scan will report the same error
		}
	})
	return s.origin
}

// searchStream continues the line that is open where a block of a stream begins, and searches the
// lines that begin in the block. Workers start blocks in order. So a worker is already at the
// block before, and soon hands over the open line, or nil if it searches that line to its end.
func (l *lines) searchStream(b engine.Block, yield func(answer.Hit) bool) {
	next := b.Off + int64(b.Len)
	line, ok := l.task.shared.open.Take(b.Off, l.Stop)
	if !ok {
		return
	}
	last := bytes.LastIndexByte(b.Data[:b.Len], '\n') + 1
	feed := bytes.IndexByte(b.Data[b.Len:], '\n')
	continues := feed < 0 && !l.endsWith(b)    // the block's last line ends beyond the context
	begins := last > 0 || b.Off == l.Range.Off // some line begins in the block
	if !continues || !begins && line == nil {
		l.task.shared.open.Put(next, nil)
	}
	begin := 0
	if line != nil {
		if begin, ok = l.continueLine(line, b, yield); !ok {
			return
		}
	} else if b.Off != l.Range.Off {
		begin = bytes.IndexByte(b.Data[:b.Len], '\n') + 1
	}
	end := b.Len + feed + 1
	switch {
	case !begins:
		if continues && line != nil {
			l.task.shared.open.Put(next, line)
		}
		return
	case continues:
		end = max(last, begin)
	case feed < 0:
		end = len(b.Data)
	}
	if !l.match(b.Data[begin:end], b.Off+int64(begin), yield) || !continues {
		return
	}
	line = l.re.Line(b.Off+int64(end), l.task.counting)
	if l.feed(line, b.Data[end:b.Len+runeAhead], false, yield) {
		l.task.shared.open.Put(next, line)
	}
}

// runeAhead is how many bytes of the context may belong to a rune that begins in a block's last
// byte. With that many, the search uses every byte of the block.
const runeAhead = 3

// continueLine continues an open line in a block and, if the line ends in the context, up to
// its end. It returns where the next line begins.
func (l *lines) continueLine(line *regex.Line, b engine.Block, yield func(answer.Hit) bool) (begin int, ok bool) {
	at := int(line.Off - b.Off)
	feed := bytes.IndexByte(b.Data, '\n')
	switch {
	case feed >= 0:
		return feed + 1, l.feed(line, b.Data[at:feed], true, yield)
	case l.endsWith(b):
		return len(b.Data), l.feed(line, b.Data[at:], true, yield)
	}
	return 0, l.feed(line, b.Data[at:b.Len+runeAhead], false, yield)
}

// lineWindow is how much of a long line of a file is searched at a time. A line of at most that
// length is searched in one part, like a short one.
var lineWindow = threshold.New("find: part of a long line of a file", 64<<20, 8)

// holeMin is the length from which a hole in a long line is skipped.
var holeMin = threshold.New("find: smallest hole to skip in a long line", 64<<10, 2)

// long searches the line that begins at off and reaches beyond the block and its context.
func (l *lines) long(off int64, yield func(answer.Hit) bool) {
	p := &longLine{lines: l, line: l.re.Line(off, l.task.counting), off: off, yield: yield}
	for p.line.Off < l.Range.End {
		if l.Stop.Load() || !p.next() {
			return
		}
	}
	if !p.broken {
		l.feed(p.line, nil, true, yield)
	}
}

// longLine is a line of a file that is read and searched in parts.
type longLine struct {
	*lines
	line   *regex.Line
	off    int64
	yield  func(answer.Hit) bool
	broken bool // a part could not be read; the rest of the line is not searched
}

// next searches the next part. It returns false when the line has ended or no further hit
// is wanted.
func (p *longLine) next() bool {
	at := p.line.Off
	if p.skipHoles && at > p.off {
		// No match contains a zero, so none is open after one: the rest of the hole can be skipped.
		if data, err := p.File.NextData(at-1, p.Range.End); err == nil && data.Off > at {
			p.line.Off = data.Off
			return true
		}
	}
	r := p.window(at)
	part, err := p.File.Part(r)
	if err != nil {
		// The line is searched as if it ended with the last byte that was read.
		more := p.broken || p.feed(p.line, nil, true, p.yield)
		p.breakAt(r, err)
		return more
	}
	rest := source.Range{Off: r.Off + part.Bytes(), End: r.End}
	r.End = rest.Off
	more := true
	read, err := part.Use(func(text []byte) { more = p.search(text, r, part.Cut()) })
	switch {
	case err != nil:
		p.breakAt(source.Range{Off: r.Off + read, End: rest.End}, err)
		return true
	case more && part.Cut():
		p.breakAt(rest, failure.ErrShrank)
	}
	return more
}

func (p *longLine) breakAt(r source.Range, err error) {
	p.lost(r.Off, r.End, err)
	p.broken, p.line.Off = true, r.End
}

// window returns the next part. It ends at a hole that is long enough to be skipped, and includes
// the hole's first byte: after that zero, no match is open.
func (p *longLine) window(at int64) source.Range {
	r := source.Range{Off: at, End: min(at+int64(lineWindow.Get()), p.Range.End)}
	if !p.skipHoles {
		return r
	}
	for end := at; end < r.End; {
		data, err := p.File.NextData(end, p.Range.End)
		if err != nil || data.Len() == 0 || data.Off-end >= int64(holeMin.Get()) {
			r.End = min(r.End, end+1)
			break
		}
		end = data.End
	}
	return r
}

// search searches a part. If cut is set, the bytes after the part cannot be read, and the line
// is searched as if it ended there. It returns true if the line continues and further hits are
// wanted.
func (p *longLine) search(text []byte, r source.Range, cut bool) bool {
	feed := bytes.IndexByte(text, '\n')
	ends := feed >= 0 || r.End == p.Range.End
	if feed >= 0 {
		text = text[:feed]
	}
	switch {
	case p.broken:
		p.lost(r.Off, r.Off+int64(len(text)), errBroken)
		p.line.Off = r.End
		return !ends
	case (ends || cut) && r.Off == p.off:
		return p.match(text, r.Off, p.yield) && !ends
	}
	return p.feed(p.line, text, ends || cut, p.yield) && !ends
}
