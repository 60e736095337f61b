//go:build unix

package mmap

import "github.com/thresh-dev/thresh/internal/engine"

// coming is a piece whose pages are being faulted in.
type coming struct {
	piece engine.Piece
	done  chan struct{} // closed when they are there, or cannot be read
}

// runAhead is Run for pieces that come from storage. It keeps several pieces on their way: a call for
// each faults its pages in and waits for the storage, while the worker visits the piece before. A fault
// during a visit would wait as well, but keep a processor of the Go scheduler meanwhile, and bring in
// less at a time.
func (r *reader) runAhead(next engine.Next, visit engine.Visit) error {
	var queue []coming
	defer func() { // the mapping must not go while a call works on it
		for _, c := range queue {
			<-c.done
		}
	}()
	for dry := false; ; {
		for !dry && len(queue) < r.depth {
			p, ok := next()
			if dry = !ok; dry {
				break
			}
			c := coming{p, make(chan struct{})}
			go func() {
				populate(r.pages(p))
				close(c.done)
			}()
			queue = append(queue, c)
		}
		if len(queue) == 0 {
			return nil
		}
		<-queue[0].done
		p := queue[0].piece
		queue = queue[1:]
		if goOn, err := r.piece(p, visit); err != nil || !goOn {
			return err
		}
	}
}
