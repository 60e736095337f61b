package uring

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/engine/uring/ring"
	"github.com/thresh-dev/thresh/internal/threshold"
	"golang.org/x/sys/unix"
)

// resubmitsMax is how often the rest of a short read is submitted again.
var resubmitsMax = threshold.New("uring: resubmissions of a short read", 8, 1)

// reader keeps its slots in a ring buffer. From head on, they hold blocks in the order in which
// they will be visited.
type reader struct {
	*uringEngine
	memory []byte
	slots  []slot
	head   int
	used   int

	ring *ring.Ring

	piece  engine.Piece // the piece that is being cut into blocks
	cursor int64        // start of its next block
	dry    bool         // next has no more pieces

	tries  int           // limit of submissions of one read: resubmitsMax
	rescue engine.Reader // nil until it is needed
}

// slot is one block in flight.
type slot struct {
	index  int // in the reader's slots
	buffer []byte
	piece  engine.Piece
	off    int64 // offset of the block
	own    int64 // bytes of the block that belong to the piece
	start  int64 // aligned offset of buffer[0]
	need   int64 // bytes from start on for the block and its context
	ask    int64 // bytes from start on that are requested, aligned
	got    int64 // bytes from start on that have been read
	tries  int
	done   bool
	failed bool // the rescue must read it
}

// Run locks the goroutine to its thread, because only the thread that created the ring uses it.
func (r *reader) Run(next engine.Next, visit engine.Visit) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := r.openRing(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.closeRing()) }()
	for {
		r.refill(next)
		if r.used == 0 {
			return nil
		}
		s := &r.slots[r.head]
		if err := r.ring.Submit(!s.done); err != nil {
			return fmt.Errorf("read %s at %d: %w", r.file.Name, s.off, err)
		}
		r.reap()
		if !s.done {
			continue
		}
		if goOn, err := r.visit(s, visit); err != nil || !goOn {
			return err
		}
		r.head = (r.head + 1) % len(r.slots)
		r.used--
	}
}

func (r *reader) Close() (err error) {
	if r.rescue != nil {
		err = r.rescue.Close()
	}
	err = errors.Join(err, anon.Unmap(r.memory))
	r.memory, r.slots, r.rescue = nil, nil, nil
	return err
}

// openRing creates the ring and registers file and buffers with it.
func (r *reader) openRing() error {
	ring, err := ring.New(r.fd, len(r.slots))
	if err != nil {
		return ringRefusal(r.file, err)
	}
	ring.Register(r.memory)
	r.ring = ring
	r.head, r.used, r.dry = 0, 0, false
	r.piece, r.cursor = engine.Piece{}, 0
	return nil
}

// closeRing waits for the reads in flight and closes the ring. If waiting fails, the buffers are
// never unmapped, because the kernel may still write to them.
func (r *reader) closeRing() error {
	err := r.ring.Drain()
	if err != nil {
		r.memory = nil
	}
	err = errors.Join(err, r.ring.Close())
	r.ring = nil
	return err
}

// refill cuts pieces into blocks until all slots are in use.
func (r *reader) refill(next engine.Next) {
	for r.used < len(r.slots) {
		if r.cursor == r.piece.End() {
			if r.dry {
				return
			}
			p, ok := next()
			if !ok {
				r.dry = true
				return
			}
			r.piece, r.cursor = p, p.Off
		}
		s := &r.slots[(r.head+r.used)%len(r.slots)]
		r.used++
		r.cut(s)
		if !s.done {
			r.read(s)
		}
	}
}

// cut gives a slot the next block of the piece. Blocks end at aligned offsets, so that the next one
// begins aligned. They are not empty, because the block size is at least the alignment.
func (r *reader) cut(s *slot) {
	end := min(r.piece.End(), r.down(r.cursor+r.block))
	start := r.down(r.cursor)
	last := min(end+r.ahead, r.file.Bytes)
	*s = slot{index: s.index, buffer: s.buffer, piece: r.piece, off: r.cursor, own: end - r.cursor,
		start: start, need: last - start, ask: r.up(last) - start}
	if last < end { // the piece reaches over the end of the file
		s.done, s.failed = true, true
	}
	r.cursor = end
}

// read prepares a read of the bytes that a slot lacks.
func (r *reader) read(s *slot) {
	r.ring.Read(s.buffer[s.got:s.ask], s.start+s.got, uint64(s.index))
}

// reap takes all available completions.
func (r *reader) reap() {
	for {
		c, ok := r.ring.Take()
		if !ok {
			return
		}
		s := &r.slots[c.Tag]
		s.done, s.failed = r.complete(s, c.Result)
		if !s.done {
			r.stats.resubmits.Add(1)
			r.read(s)
		}
	}
}

// complete records the result of a read. Done is set if the block is complete, or if only the
// rescue can read the rest; failed is set in the second case. At the end of the file a read
// returns fewer bytes than requested.
func (r *reader) complete(s *slot, res int32) (done, failed bool) {
	s.tries++
	if res > 0 {
		s.got += int64(res)
		r.stats.reads.Add(1)
		r.stats.bytes.Add(int64(res))
	}
	again := res > 0 && s.got%r.align == 0 || res == -int32(unix.EAGAIN) || res == -int32(unix.EINTR)
	switch {
	case s.got >= s.need:
		return true, false
	case again && s.tries <= r.tries:
		return false, false
	}
	return true, true
}

// visit visits the block of a slot.
func (r *reader) visit(s *slot, visit engine.Visit) (goOn bool, err error) {
	last := s.off+s.own == s.piece.End()
	if !s.failed {
		data := s.buffer[s.off-s.start : s.need : s.need]
		return visit(s.piece, engine.Block{Off: s.off, Data: data, Len: int(s.own)}, last), nil
	}
	if r.rescue == nil {
		if r.rescue, err = r.openRescue(); err != nil {
			return false, err
		}
	}
	r.stats.rescued.Add(1)
	goOn = true
	block := engine.Piece{Off: s.off, Len: int(s.own)}
	once := func() (p engine.Piece, ok bool) {
		p, block = block, engine.Piece{}
		return p, p.Len > 0
	}
	err = r.rescue.Run(once, func(_ engine.Piece, b engine.Block, end bool) bool {
		goOn = visit(s.piece, b, end && last)
		return goOn
	})
	return goOn, err
}
