package find

import (
	"bytes"
	"sync"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/regex"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// handover is what the workers on one input share.
type handover struct {
	// Where the search stands of the line of a stream that a block begins in: nil where a
	// block before it has searched the line to its end.
	lines *scan.Handoff[*regex.Line]

	once   sync.Once
	origin int64 // of the first block, where the range begins with a hole
}

func newHandover(span source.Range) *handover {
	return &handover{lines: scan.NewHandoff[*regex.Line](span.Off, nil)}
}

// behindHole returns where the first block of the range begins if its holes are skipped.
func (h *handover) behindHole(l *lines) int64 {
	h.once.Do(func() {
		data, err := l.File.NextData(l.Range.Off, l.Range.End)
		if h.origin = max(data.Off-int64(l.ahead), l.Range.Off); err != nil {
			h.origin = l.Range.Off // the scan finds the same error
		}
	})
	return h.origin
}

// searchStream searches the lines that begin in a block of a stream, and goes on with the
// line that the block begins in. Blocks are begun in order, so that the one before is under
// way and soon says where that line's search stands, or that it takes care of its end.
func (l *lines) searchStream(b engine.Block, yield func(scan.Hit) bool) {
	next := b.Off + int64(b.Len)
	line, ok := l.task.lines.lines.Take(b.Off, l.Stop)
	if !ok {
		return
	}
	last := bytes.LastIndexByte(b.Data[:b.Len], '\n') + 1
	feed := bytes.IndexByte(b.Data[b.Len:], '\n')
	goesOn := feed < 0 && !l.endsWith(b)
	begins := last > 0 || b.Off == l.Range.Off // some line begins in the block
	if !goesOn || !begins && line == nil {
		l.task.lines.lines.Put(next, nil)
	}
	begin := 0
	if line != nil {
		if begin, ok = l.goOn(line, b, yield); !ok {
			return
		}
	} else if b.Off != l.Range.Off {
		begin = bytes.IndexByte(b.Data[:b.Len], '\n') + 1
	}
	end := b.Len + feed + 1
	switch {
	case !begins:
		if goesOn && line != nil {
			l.task.lines.lines.Put(next, line)
		}
		return
	case goesOn:
		end = max(last, begin)
	case feed < 0:
		end = len(b.Data)
	}
	if !l.match(b.Data[begin:end], b.Off+int64(begin), yield) || !goesOn {
		return
	}
	line = l.re.Line(b.Off+int64(end), l.task.counting)
	if l.feed(line, b.Data[end:b.Len+runeAhead], false, yield) {
		l.task.lines.lines.Put(next, line)
	}
}

// runeAhead is how far a rune reaches that begins in a block's last byte. With so much of
// the context no byte of the block is left over.
const runeAhead = 3

// goOn searches the line that a block begins in, as far as it reaches into the block and,
// if it ends there, into the context. It returns where the next line begins.
func (l *lines) goOn(line *regex.Line, b engine.Block, yield func(scan.Hit) bool) (begin int, ok bool) {
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

// lineWindow is how much of a long line of a file is searched at a time. A line that is no
// longer is searched like any other.
var lineWindow = threshold.New("find: part of a long line of a file", 64<<20, 8)

// holeMin is how long a hole in a long line must be to be skipped.
var holeMin = threshold.New("find: hole in a long line that is skipped", 64<<10, 2)

// long searches the line that begins at off and is longer than a block with its context.
func (l *lines) long(off int64, yield func(scan.Hit) bool) {
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

// longLine is a line of a file that is searched part by part.
type longLine struct {
	*lines
	line   *regex.Line
	off    int64
	yield  func(scan.Hit) bool
	broken bool // a part could not be read, and what follows is not searched
}

// next searches the next part. It returns false when the line has ended or no further hit
// is wanted.
func (p *longLine) next() bool {
	at := p.line.Off
	if p.skipHoles && at > p.off {
		// Nothing is under way behind a zero, which no match can hold.
		if data, err := p.File.NextData(at-1, p.Range.End); err == nil && data.Off > at {
			p.line.Off = data.Off
			return true
		}
	}
	r := p.window(at)
	part, err := p.File.Part(r)
	if err != nil {
		// What was read is searched as the end of an input is.
		goOn := p.broken || p.feed(p.line, nil, true, p.yield)
		p.breakAt(r, err)
		return goOn
	}
	behind := source.Range{Off: r.Off + part.Bytes(), End: r.End}
	r.End = behind.Off
	goOn := true
	read, err := part.Use(func(text []byte) { goOn = p.search(text, r, part.Cut()) })
	switch {
	case err != nil:
		p.breakAt(source.Range{Off: r.Off + read, End: behind.End}, err)
		return true
	case goOn && part.Cut():
		p.breakAt(behind, source.ErrShrank)
	}
	return goOn
}

func (p *longLine) breakAt(r source.Range, err error) {
	p.lost(r.Off, r.End, err)
	p.broken, p.line.Off = true, r.End
}

// window returns the next part: it ends a byte behind where a hole begins.
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

// search searches a part. Cut tells that what is behind it cannot be read: the line is searched
// as if it ended there. It returns whether the line goes on and further hits are wanted.
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
