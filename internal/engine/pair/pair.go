// Package pair reads two inputs in lockstep, each with an engine of its own: a block has the bytes of both.
//
// A worker has the first engine visit a piece, and in each of those visits the second one the same bytes. So a fault
// of either mapping unwinds to the engine that owns it, which visits again what can be read; see engine.Visit. Where
// one file has a hole the other is compared with zeros, and nothing is read of the hole. Of a stream, which must be
// the first if only one of the two is one, all pieces are handed out in order to one worker.
package pair

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// Side is one of the inputs.
type Side struct {
	File   *source.File
	Engine engine.Engine
}

// Ends is what is known of where inputs end, as offsets in the first one.
type Ends struct {
	Second atomic.Int64 // the second one; that of a stream is set when it turns out, and math.MaxInt64 before
	// If the first one is read in order and ends before Until, a reader looks whether the second one goes on.
	Until  int64
	GoesOn atomic.Bool
}

// OtherError is why a range of the second input cannot be read. The range that comes with it is that of the first.
type OtherError struct{ Err error }

func (e *OtherError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *OtherError) Unwrap() error { return e.Err }

// Engine reads both inputs.
type Engine struct {
	first, second Side
	shift         int64
	inOrder       bool
	ends          *Ends
}

// Open returns the engine for two inputs, whose engines it owns: offset 0 of the first belongs to offset shift of the
// second. InOrder says that the engine of the first reads in order; there is then one worker.
func Open(first, second Side, shift int64, inOrder bool, ends *Ends) *Engine {
	return &Engine{first, second, shift, inOrder, ends}
}

// Name returns the name of the first one's engine.
func (e *Engine) Name() string { return e.first.Engine.Name() }

// Close closes both engines.
func (e *Engine) Close() error { return errors.Join(e.first.Engine.Close(), e.second.Engine.Close()) }

// Inputs returns how many inputs a piece is of.
func (e *Engine) Inputs() int { return 2 }

// Waited returns the time that readers of streams spent in reads.
func (e *Engine) Waited() (all time.Duration) {
	for _, s := range []Side{e.first, e.second} {
		if w, ok := s.Engine.(interface{ Waited() time.Duration }); ok {
			all += w.Waited()
		}
	}
	return all
}

// Reader returns a reader of both.
func (e *Engine) Reader() (engine.Reader, error) {
	first, err := e.first.Engine.Reader()
	if err != nil {
		return nil, err
	}
	second, err := e.second.Engine.Reader()
	if err != nil {
		return nil, errors.Join(err, first.Close())
	}
	return &reader{e, first, second}, nil
}

type reader struct {
	*Engine
	one, other engine.Reader
}

func (r *reader) Close() error { return errors.Join(r.one.Close(), r.other.Close()) }

// Release releases a piece of those inputs that are mapped.
func (r *reader) Release(p engine.Piece) {
	for i, of := range []engine.Reader{r.one, r.other} {
		if mapping, ok := of.(engine.Releaser); ok {
			mapping.Release(engine.Piece{Off: p.Off + int64(i)*r.shift, Len: p.Len})
		}
	}
}

func (r *reader) Run(next engine.Next, visit engine.Visit) error {
	if r.inOrder {
		return r.inTurn(next, visit)
	}
	return next.Each(func(p engine.Piece) (bool, error) { return r.piece(p, visit) })
}

// inTurn visits all pieces in order, and then looks whether the second input goes on.
func (r *reader) inTurn(next engine.Next, visit engine.Visit) error {
	var end int64
	goOn := true
	err := r.both(next, func(p engine.Piece, b engine.Block, last bool) bool {
		end = b.Off + int64(b.Len)
		goOn = visit(p, b, last)
		return goOn
	})
	if err != nil || !goOn || end >= r.ends.Until {
		return err
	}
	return r.other.Run(once(engine.Piece{Off: end + r.shift, Len: 1}), func(_ engine.Piece, b engine.Block, _ bool) bool {
		if b.Len > 0 {
			r.ends.GoesOn.Store(true)
		}
		return false
	})
}

// piece visits the parts of a piece: those that are written in both inputs, and those that are a hole of one.
func (r *reader) piece(p engine.Piece, visit engine.Visit) (goOn bool, err error) {
	visitPart := func(part engine.Piece, b engine.Block, last bool) bool {
		goOn = visit(p, b, last && part.End() == p.End())
		return goOn
	}
	goOn = true
	for pos := p.Off; pos < p.End() && goOn && err == nil; {
		hole, end, failed := r.hole(pos, p.End())
		if failed != nil {
			return false, failed
		}
		part := once(engine.Piece{Off: pos, Len: int(end - pos)})
		switch hole {
		case 0:
			err = r.both(part, visitPart)
		case 1:
			err = r.zeros(r.other, r.shift, part, visitPart)
		case 2:
			err = r.zeros(r.one, 0, part, visitPart)
		}
		pos = end
	}
	return goOn, err
}

// hole returns which of the inputs has a hole at an offset, 0 for none, and where that, or the hole, ends. Of two
// holes, which the scan leaves out where it can, it returns one.
func (r *reader) hole(off, end int64) (which int, until int64, err error) {
	until = end
	for i, s := range []Side{r.first, r.second} {
		shift := int64(i) * r.shift
		data, err := s.File.Written(off+shift, end+shift)
		if err != nil {
			return 0, end, err
		}
		if data.Off > off+shift {
			return i + 1, min(until, data.Off-shift), nil
		}
		until = min(until, data.End-shift)
	}
	return 0, max(until, off+1), nil
}

// once hands out one piece.
func once(p engine.Piece) engine.Next {
	return func() (engine.Piece, bool) {
		next := p
		p = engine.Piece{}
		return next, next.Len > 0
	}
}

// both visits the blocks of both inputs, and what the first has after the end of the second.
func (r *reader) both(next engine.Next, visit engine.Visit) error {
	var failed error
	err := r.one.Run(next, func(p engine.Piece, b engine.Block, last bool) bool {
		if b.Err != nil || b.Len == 0 {
			return visit(p, b, last)
		}
		goOn, seen := true, 0
		at := engine.Piece{Off: b.Off + r.shift, Len: int(min(int64(b.Len), max(r.ends.Second.Load()-b.Off, 0)))}
		failed = r.other.Run(once(at), func(_ engine.Piece, o engine.Block, _ bool) bool {
			part := engine.Block{Off: o.Off - r.shift, Err: r.asOther(o.Err)}
			from := int(part.Off - b.Off)
			switch {
			case o.Err == nil:
				seen = from + o.Len
				part.Data, part.Other, part.Len = b.Data[from:seen], o.Data[:o.Len], o.Len
			case o.Err.Len == 0: // a stream broke off
				seen, part.Err.Len = b.Len, int64(b.Len-from)
			default:
				seen = from + int(o.Err.Len)
			}
			goOn = visit(p, part, last && seen == b.Len)
			return goOn
		})
		if goOn && failed == nil && seen < b.Len {
			r.endsAt(b.Off + int64(seen))
			goOn = visit(p, engine.Block{Off: b.Off + int64(seen), Data: b.Data[seen:b.Len], Len: b.Len - seen}, last)
		}
		return goOn && failed == nil
	})
	return errors.Join(failed, err)
}

// endsAt notes where the second input ends, if that is a stream.
func (r *reader) endsAt(off int64) {
	for end := r.ends.Second.Load(); off < end && !r.ends.Second.CompareAndSwap(end, off); end = r.ends.Second.Load() {
		continue
	}
}

// asOther returns an error of the second input with the range of the first.
func (r *reader) asOther(u *failure.UnreadError) *failure.UnreadError {
	if u == nil {
		return nil
	}
	return &failure.UnreadError{Name: u.Name, Off: u.Off - r.shift, Len: u.Len, Err: &OtherError{u.Err}}
}

// zerosBytes fits the first-level cache.
const zerosBytes = 16 << 10

var zeros [zerosBytes]byte

// zeros visits the blocks of one input where the other has a hole.
func (r *reader) zeros(of engine.Reader, shift int64, next engine.Next, visit engine.Visit) error {
	part, _ := next()
	at := engine.Piece{Off: part.Off + shift, Len: part.Len}
	return of.Run(once(at), func(_ engine.Piece, b engine.Block, last bool) bool {
		if b.Err != nil {
			lost := *b.Err
			if lost.Off -= shift; of == r.other {
				lost = *r.asOther(b.Err)
			}
			return visit(part, engine.Block{Off: lost.Off, Err: &lost}, last)
		}
		for from := 0; from < b.Len; from += zerosBytes {
			n := min(zerosBytes, b.Len-from)
			block := engine.Block{Off: b.Off - shift + int64(from), Data: b.Data[from : from+n], Len: n, Other: zeros[:n]}
			if !visit(part, block, last && from+n == b.Len) {
				return false
			}
		}
		return true
	})
}
