package stream

import (
	"bytes"
	"errors"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/anon"
)

type reader struct {
	*streamEngine
	memory []byte
}

func (r *reader) Run(next engine.Next, visit engine.Visit) error {
	for {
		if goOn, err := r.turn(next, visit); err != nil || !goOn {
			return err
		}
	}
}

func (r *reader) Close() error {
	err := anon.Unmap(r.memory)
	r.memory = nil
	return err
}

// turn pulls and visits one piece. It holds the lock until it has read the last block.
func (r *reader) turn(next engine.Next, visit engine.Visit) (goOn bool, err error) {
	r.mu.Lock()
	locked := true
	defer func() {
		if locked {
			r.mu.Unlock()
		}
	}()
	if r.ended && len(r.carry) == 0 && r.err == nil || r.stop() {
		return false, nil
	}
	p, ok := next()
	if !ok {
		return false, nil
	}
	if err := r.skip(p.Off, r.memory); err != nil {
		return false, err
	}
	for pos := p.Off; ; {
		b := r.block(pos, p)
		pos += int64(b.Len)
		switch {
		case r.stop():
			return false, nil
		case pos == p.End():
			locked = false
			r.mu.Unlock()
			return visit(p, b, true), nil
		case r.ended && len(r.carry) == 0:
			return r.breakOff(p, b, visit), nil
		case !visit(p, b, false):
			return false, nil
		}
	}
}

// block reads the next block of a piece and saves its context for the block after it.
func (r *reader) block(pos int64, p engine.Piece) engine.Block {
	if r.pos < pos {
		return engine.Block{Off: pos} // the input ended before the piece began
	}
	own := int(min(p.End()-pos, int64(r.piece)))
	n := copy(r.memory, r.carry)
	n = r.gather(r.memory[:own+r.ahead], n)
	if !r.ended && n < own+r.ahead {
		own = min(own, r.cut(r.memory[:n]))
	}
	own = min(own, n)
	r.pos += int64(own)
	r.carry = append(r.carry[:0], r.memory[own:n]...)
	brokeOff := r.err != nil && len(r.carry) == 0
	return engine.Block{Off: pos, Data: r.memory[:n:n], Len: own, BrokeOff: brokeOff}
}

// cut returns how many of the bytes that have arrived make a block that is visited before it is
// full: the bytes that have their full context, or those of whole lines. The line feed of the last
// line is context, and becomes the first byte of the next block.
func (r *reader) cut(arrived []byte) int {
	if r.lines {
		if feed := bytes.LastIndexByte(arrived, '\n'); feed > 0 {
			return feed
		}
	}
	return max(len(arrived)-r.ahead, 0)
}

// breakOff visits the last block of an input and then the error that ended the input, if any.
func (r *reader) breakOff(p engine.Piece, b engine.Block, visit engine.Visit) bool {
	if r.err == nil {
		return visit(p, b, true)
	}
	unread := &failure.UnreadError{Name: r.name, Off: b.Off + int64(b.Len), Err: r.err}
	if rest := (*failure.UnreadError)(nil); errors.As(r.err, &rest) { // from sizedReader, which knows the size of its file
		unread.Len, unread.Err = rest.Off+rest.Len-unread.Off, rest.Err
	}
	r.err = nil
	if b.Len > 0 && !visit(p, b, false) {
		return false
	}
	return visit(p, engine.Block{Off: unread.Off, Err: unread}, true)
}
