package blank

import (
	"errors"
	"fmt"
	"io"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/journal"
)

// stream reads a stream in order, up to its end or that of the range. Bytes before the range are
// read and dropped.
func (c *check) stream() error {
	buffer := make([]byte, c.pieceBytes)
	for off := int64(0); off < c.cursor.End && !c.stopped.Load(); {
		end := min(off+c.pieceBytes, c.cursor.End)
		if off < c.cursor.Off {
			end = min(end, c.cursor.Off)
		}
		n, err := c.read(buffer[:end-off])
		if off >= c.cursor.Off && n > 0 {
			s := journal.Summary{Off: off, End: off}
			c.see(&s, engine.Block{Off: off, Data: buffer[:n], Len: n})
			c.track.Add(s)
			c.Bytes.Add(int64(n))
		}
		off += int64(n)
		switch {
		case err == nil:
			continue
		case c.ctx.Err() != nil:
			return nil
		case err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF):
			c.track.Add(journal.Summary{Off: off, End: off, Unread: oneRange(&failure.UnreadError{Off: off, Err: err})})
		case off < c.cursor.Off:
			return fmt.Errorf("%s: --offset %d is behind its end, at %d", c.Name, c.cursor.Off, off)
		case c.options.Length != nil && off < c.cursor.End:
			return fmt.Errorf("%s: --length %d reaches over its end, at %d", c.Name, *c.options.Length, off)
		}
		c.ended = true
		return nil
	}
	return nil
}

// read fills b. A read of a silent pipe cannot be interrupted, so a goroutine does it, and is left
// behind when the run ends.
func (c *check) read(b []byte) (n int, err error) {
	type result struct {
		n   int
		err error
	}
	got := make(chan result, 1)
	go func() {
		n, err := io.ReadFull(c.file.Reader(), b)
		got <- result{n, err}
	}()
	select {
	case r := <-got:
		return r.n, r.err
	case <-c.ctx.Done():
		return 0, c.ctx.Err()
	}
}
