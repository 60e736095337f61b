package find

import (
	"bytes"
	"errors"
	"sync"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/regex"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// A line that is in memory is searched whole, which is fastest. A longer line is searched in
// parts. In a file, the worker whose block the line begins in reads the parts one after another.
// In a stream, the parts are the blocks, and each worker hands the search over to the next.

// lineAhead is the context after a block. It is long enough that the last line of a block usually
// ends in it. Up to 3 of its bytes may belong to a rune that begins in the block.
var lineAhead = threshold.New("find: context after a block, for lines", 16<<10, 4)

// streamAhead is the context after a block of a stream. It is longer, because a stream cannot
// be read again.
var streamAhead = threshold.New("find: context after a block of a stream, for lines", 1<<20, 4)

// searcherBytes bounds the state tables of one searcher; see package regex.
const searcherBytes = 12 << 20

// Regexp looks for matches of an RE2 expression, line by line.
func Regexp(expr string) (*Selector, error) {
	re, err := regex.Compile(expr)
	if err != nil {
		return nil, err
	}
	// Building a searcher's state tables takes time, so blocks and files share searchers.
	pool := &sync.Pool{New: func() any { return re.Searcher() }}
	skipHoles := !re.CanMatchByte(0)
	return &Selector{
		Traits: scan.Traits{Kernel: "regex " + re.Kernel(), Lines: true,
			AheadOf: ahead, Worker: searcherBytes, Text: true, SkipHoles: skipHoles},
		begin: func(t *Task) { t.shared = newSharedLines(t.span) },
		searcher: func(in Input) scan.Searcher {
			return &lines{Input: in, re: re, pool: pool, skipHoles: skipHoles, ahead: ahead(in.File.Kind)}
		},
	}, nil
}

func ahead(kind source.Kind) int {
	if kind == source.Stream {
		return streamAhead.Get()
	}
	return lineAhead.Get()
}

// lines searches the lines that begin in a block: the first line of the range, and every line
// that follows a line feed in the block's own bytes.
type lines struct {
	Input
	re        *regex.Regex
	pool      *sync.Pool
	skipHoles bool
	ahead     int // bytes of context after a block, unless the input ends earlier
}

func (l *lines) Search(b engine.Block, yield func(answer.Hit) bool) {
	if l.File.Kind == source.Stream {
		l.searchStream(b, yield)
		return
	}
	own := b.Data[:b.Len]
	begin, last := 0, bytes.LastIndexByte(own, '\n')+1
	if !l.first(b) {
		if last == 0 {
			return // no line begins in the block
		}
		begin = bytes.IndexByte(own, '\n') + 1
	}
	feed := bytes.IndexByte(b.Data[b.Len:], '\n')
	switch {
	case feed >= 0:
		l.match(b.Data[begin:b.Len+feed+1], b.Off+int64(begin), yield)
	case l.endsWith(b):
		l.match(b.Data[begin:], b.Off+int64(begin), yield)
	case l.match(b.Data[begin:last], b.Off+int64(begin), yield):
		l.long(b.Off+int64(max(last, begin)), yield)
	}
}

// first reports whether the first line of the range begins in the block, or in a hole
// before it that is skipped.
func (l *lines) first(b engine.Block) bool {
	return b.Off == l.Range.Off || l.skipHoles && b.Off == l.task.shared.afterHole(l)
}

// endsWith reports whether the range ends with a block's context.
func (l *lines) endsWith(b engine.Block) bool { return len(b.Data) < b.Len+l.ahead }

// match searches whole lines. It returns false when no further hit is wanted.
func (l *lines) match(text []byte, off int64, yield func(answer.Hit) bool) bool {
	if len(text) == 0 {
		return true
	}
	s := l.searcher()
	defer l.pool.Put(s)
	more := true
	if l.task.counting {
		for n := s.Count(text); n > 0 && more; n-- {
			more = yield(answer.Hit{Off: off})
		}
		return more && !l.Stop.Load()
	}
	s.All(text, func(start, end int) bool {
		more = yield(answer.Hit{Off: off + int64(start), Len: int64(end - start)})
		return more
	})
	for _, r := range s.Lost() {
		l.lost(off+int64(r[0]), off+int64(r[1]), errTooManyPending)
	}
	return more && !l.Stop.Load()
}

func (l *lines) searcher() *regex.Searcher {
	s := l.pool.Get().(*regex.Searcher)
	s.Stop = l.Stop
	return s
}

// errTooManyPending reports a part of a line that is not searched.
var errTooManyPending = errors.New("too many matches are undecided until the end of the line; " +
	"use an expression whose matches cannot extend to the end of the line")

// errBroken reports the rest of a line that is not searched.
var errBroken = errors.New("an earlier part of the line could not be read")

func (l *lines) lost(off, end int64, err error) {
	l.Lost(failure.UnreadError{Name: l.File.Name, Off: off, Len: end - off, Err: err})
}

// feed searches the next part of a line and advances line.Off past what was searched. last is
// set for the line's last part. It returns false when no further hit is wanted.
func (l *lines) feed(line *regex.Line, text []byte, last bool, yield func(answer.Hit) bool) bool {
	end := line.Off + int64(len(text))
	if _, lost := line.Overflows(); lost {
		l.lost(line.Off, end, errTooManyPending)
		line.Off = end
		return true
	}
	s := l.searcher()
	defer l.pool.Put(s)
	sure, more := line.Matches, true
	ok := s.Feed(line, text, last, func(start, end int64) bool {
		more = yield(answer.Hit{Off: start, Len: end - start})
		return more
	})
	for ; l.task.counting && sure < line.Matches && more; sure++ {
		more = yield(answer.Hit{Off: line.Off})
	}
	if from, lost := line.Overflows(); lost {
		l.lost(from, end, errTooManyPending)
		line.Off = end
		return more
	}
	return ok && more
}
