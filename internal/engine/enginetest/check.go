package enginetest

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// checker checks the visits of all workers of a scan. It compares each block with the contract of
// engine.Reader and records which bytes were visited and which were reported unread.
type checker struct {
	want  []byte         // the input's bytes
	bad   []source.Range // unreadable ranges of the input, ascending
	ahead int
	// shrunk, if not 0, is the offset from which on context may be missing, because the input
	// may have become shorter.
	shrunk int64

	mu     sync.Mutex
	seen   []source.Range // finished visits
	unread []failure.UnreadError
	faults []string
}

// progress is the position of one worker in its piece.
type progress struct {
	piece engine.Piece
	begun bool
	pos   int64
}

// visitor returns the visitor of one worker.
func (c *checker) visitor() engine.Visit {
	var at progress
	return func(p engine.Piece, b engine.Block, last bool) bool {
		// Compare first, without the lock, because reading the bytes may fault.
		diff := c.compare(b)
		c.mu.Lock()
		defer c.mu.Unlock()
		if diff != "" {
			c.fault("%s", diff)
		}
		if !at.begun {
			at = progress{piece: p, begun: true, pos: p.Off}
		}
		c.order(at, p, b, last)
		if b.Err != nil {
			c.unread = append(c.unread, *b.Err)
			at.pos += b.Err.Len
		} else {
			if b.Len > 0 {
				c.seen = append(c.seen, source.Range{Off: b.Off, End: b.Off + int64(b.Len)})
			}
			at.pos += int64(b.Len)
		}
		if last {
			at.begun = false
		}
		return true
	}
}

// compare describes how a block's bytes differ from the input's, "" if they do not.
func (c *checker) compare(b engine.Block) string {
	if b.Err != nil {
		return ""
	}
	end := b.Off + int64(len(b.Data))
	if b.Off < 0 || end > int64(len(c.want)) {
		return fmt.Sprintf("block [%d, %d) of an input of %d bytes", b.Off, end, len(c.want))
	}
	if !bytes.Equal(b.Data, c.want[b.Off:end]) {
		return fmt.Sprintf("block [%d, %d) differs from the input", b.Off, end)
	}
	return ""
}

func (c *checker) order(at progress, p engine.Piece, b engine.Block, last bool) {
	if p != at.piece {
		c.fault("piece %v visited before the last block of %v", p, at.piece)
	}
	if b.Off != at.pos {
		c.fault("piece %v: block at %d, want %d", p, b.Off, at.pos)
	}
	if b.Err != nil {
		if b.Len != 0 || b.Data != nil || b.Err.Off != b.Off {
			c.fault("piece %v: an error block with %d bytes and range at %d", p, b.Len, b.Err.Off)
		}
		return
	}
	end := b.Off + int64(b.Len)
	if end > p.End() {
		c.fault("piece %v: block [%d, %d) reaches over its end", p, b.Off, end)
	}
	if end == p.End() && !last {
		c.fault("piece %v: its final block is not the last", p)
	}
	whole := int64(len(c.want))
	for _, b := range c.bad {
		if b.End > end {
			whole = min(whole, max(b.Off, end))
		}
	}
	want := min(int64(c.ahead), max(whole-end, 0))
	got := int64(len(b.Data) - b.Len)
	if got != want && (c.shrunk == 0 || end+got < c.shrunk) {
		c.fault("piece %v: block [%d, %d) has %d bytes of context, want %d", p, b.Off, end, got, want)
	}
}

func (c *checker) fault(format string, args ...any) {
	if len(c.faults) < 10 {
		c.faults = append(c.faults, fmt.Sprintf(format, args...))
	}
}

// once returns an error unless the visited and the unread ranges together cover each byte of the
// pieces once.
func (c *checker) once(pieces []engine.Piece) error {
	all := slices.Clone(c.seen)
	for _, u := range c.unread {
		all = append(all, source.Range{Off: u.Off, End: u.Off + u.Len})
	}
	return covers(all, pieces)
}

func covers(all []source.Range, pieces []engine.Piece) error {
	slices.SortFunc(all, func(a, b source.Range) int { return int(a.Off - b.Off) })
	i := 0
	for _, p := range pieces {
		for pos := p.Off; pos < p.End(); i++ {
			if i == len(all) {
				return fmt.Errorf("nothing visited from %d on", pos)
			}
			if all[i].Off != pos {
				return fmt.Errorf("range [%d, %d) visited, want one at %d", all[i].Off, all[i].End, pos)
			}
			pos = all[i].End
		}
	}
	if i < len(all) {
		return fmt.Errorf("range [%d, %d) visited twice", all[i].Off, all[i].End)
	}
	return nil
}
