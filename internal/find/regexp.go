package find

import (
	"bytes"
	"errors"
	"regexp/syntax"
	"sync"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/regex"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/source"
)

// lineAheadBytes is the context behind a block in which the line that the block ends in
// usually ends. Longer lines are read again, on their own.
const lineAheadBytes = 16 << 10

// streamAheadBytes is the same for streams, of which nothing can be read again.
const streamAheadBytes = 1 << 20

// searcherBytes bounds the state tables of one searcher; see package regex.
const searcherBytes = 8 << 20

// Regexp looks for matches of an RE2 expression, line by line.
func Regexp(expr string) (*Selector, error) {
	re, err := regex.Compile(expr)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	free := !hasAssertions(tree) && lengthMax(tree) <= lineAheadBytes
	// A searcher's state tables are worth keeping from block to block and file to file.
	pool := &sync.Pool{New: func() any { return re.Searcher() }}
	return &Selector{
		Traits: scan.Traits{Kernel: "regex " + re.Kernel(), Lines: true, AheadOf: ahead,
			Worker: searcherBytes, Text: true},
		searcher: func(in Input) scan.Searcher { return &lines{in, pool, free, ahead(in.File.Kind)} },
	}, nil
}

// lines searches the lines that begin in a block: the first line of the range, and every
// line that begins behind a line feed in the block's own bytes.
type lines struct {
	Input
	pool *sync.Pool
	free bool // matches depend on nothing around them, and are short

	ahead int // context of a block, where the input goes on
}

func ahead(kind source.Kind) int {
	if kind == source.Stream {
		return streamAheadBytes
	}
	return lineAheadBytes
}

func (l *lines) Search(b engine.Block, yield func(scan.Hit) bool) {
	own := b.Data[:b.Len]
	begin, last := 0, bytes.LastIndexByte(own, '\n')+1
	if b.Off != l.Range.Off {
		if b.Torn && l.File.Kind == source.Stream && !l.torn(b, yield) {
			return
		}
		if begin = last; last > 0 {
			begin = bytes.IndexByte(own, '\n') + 1
		} else {
			return // the block lies within a line that began before it
		}
	}
	end := bytes.IndexByte(b.Data[b.Len:], '\n')
	switch {
	case end >= 0:
		l.match(b.Data[begin:b.Len+end+1], b.Off+int64(begin), yield)
	case len(b.Data) < b.Len+l.ahead: // the input, or the range, ends here
		l.match(b.Data[begin:], b.Off+int64(begin), yield)
	case l.match(b.Data[begin:last], b.Off+int64(begin), yield):
		l.long(b, last, yield)
	}
}

// match searches whole lines. It returns false when no further hit is wanted.
func (l *lines) match(text []byte, off int64, yield func(scan.Hit) bool) bool {
	if len(text) == 0 {
		return true
	}
	s := l.pool.Get().(*regex.Searcher)
	defer l.pool.Put(s)
	s.Stop = l.Stop
	more := true
	s.All(text, func(start, end int) bool {
		more = yield(scan.Hit{Off: off + int64(start), Len: int64(end - start)})
		return more
	})
	return more && !l.Stop.Load()
}

// long searches the line that begins at b.Data[at:] and ends behind the block's context.
func (l *lines) long(b engine.Block, at int, yield func(scan.Hit) bool) {
	off := b.Off + int64(at)
	if l.File.Kind == source.Stream {
		l.window(b.Data[at:], b.Len-at, off, yield)
		return
	}
	line, err := l.File.MapLine(off, l.Range.End, l.Stop)
	if err != nil {
		l.Lost(engine.UnreadError{Name: l.File.Name, Off: off, Len: int64(b.Len - at), Err: err})
		return
	}
	fault, err := line.Use(func(text []byte) { l.match(text, off, yield) })
	if err != nil {
		l.Lost(engine.UnreadError{Name: l.File.Name, Off: off + fault, Len: line.Bytes() - fault, Err: err})
	}
}

// errLongLine is why a part of a stream is not searched.
var errLongLine = errors.New("a line that long in a stream can only be searched for expressions of bounded length " +
	"without ^ $ \\b; save the stream to a file")

// torn searches the rest of a stream's line that was too long for the blocks before, as
// far as it reaches into this one.
func (l *lines) torn(b engine.Block, yield func(scan.Hit) bool) bool {
	if end := bytes.IndexByte(b.Data, '\n'); end >= 0 {
		return l.window(b.Data[:end], end, b.Off, yield)
	}
	return l.window(b.Data, b.Len, b.Off, yield)
}

// window searches a part of a stream's line that is too long to be held. Matches that
// begin in its first own bytes are found where they depend on nothing around them and end
// within the context; for other expressions the part is reported as not searched.
func (l *lines) window(text []byte, own int, off int64, yield func(scan.Hit) bool) bool {
	if !l.free {
		l.Lost(engine.UnreadError{Name: l.File.Name, Off: off, Len: int64(own), Err: errLongLine})
		return true
	}
	return l.match(text, off, func(h scan.Hit) bool {
		return h.Off < off+int64(own) && yield(h)
	})
}
