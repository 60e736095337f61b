package serve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"
)

// When connections or descriptors are short, the clients that have been idle longest make room. That
// is how a server outlives many silent connections: they evict each other, while a client that
// sends a request is busy and stays.
const (
	evictableAfter   = 500 * time.Millisecond // a request may still be on its way
	evictionPoll     = 50 * time.Millisecond  // between two looks for a client to evict
	crowdedAfter     = time.Second            // waiting for a slot so long is reported
	evictionsAtOnce  = 8                      // when descriptors are short
	evictionWait     = 100 * time.Millisecond // for an evicted connection to be closed
	candidatesMin    = 64                     // clients that one look through all of them yields, at least
	candidatesShare  = 8                      // and at least this share of those that may be evicted
	descriptorsSpare = 16                     // at least: descriptors that neither connections nor kept files take
	spareShare       = 16                     // and at least this share of all
	connectionsMax   = 1 << 30                // a limit of descriptors above it is none
)

// candidate is a client to evict if it is still idle since then.
type candidate struct {
	client *client
	since  int64
}

// now is the server's clock, in nanoseconds.
func (s *Server) now() int64 { return int64(time.Since(s.began)) }

// connsMax returns how many connections may be open, 0 for no limit. Descriptors for files, for
// lookups in progress and for the rest of the process are kept free.
func (s *Server) connsMax() int {
	all, known := s.root.DescriptorsMax()
	if !known || all > connectionsMax {
		return max(s.o.MaxConns, 0)
	}
	n := int(all)
	n = max(n-s.root.DescriptorsKept()-max(n/spareShare, descriptorsSpare), 1)
	if s.o.MaxConns <= 0 {
		return n
	}
	return min(s.o.MaxConns, n)
}

// takeSlot waits until another connection may be open. It reports false if the server is shutting
// down.
func (s *Server) takeSlot() bool {
	if s.slots == nil {
		return true
	}
	for began := time.Now(); ; {
		select {
		case s.slots <- struct{}{}:
			return true
		default:
		}
		if s.evict(1) == 0 && cap(s.slots) != s.o.MaxConns && time.Since(began) > crowdedAfter {
			s.shortages.Add(fmt.Errorf("all %d connections that the limit of open files allows are in use; "+
				"raise it with ulimit -n", cap(s.slots)))
		}
		select {
		case s.slots <- struct{}{}:
			return true
		case <-s.closing:
			return false
		case <-time.After(evictionPoll):
		}
	}
}

// freeDescriptors evicts some clients and waits until one of them is gone. It reports whether that
// has freed a descriptor.
func (s *Server) freeDescriptors() bool {
	select {
	case <-s.freed: // by others, earlier
	default:
	}
	if s.evict(evictionsAtOnce) == 0 {
		return false
	}
	select {
	case <-s.freed:
	case <-time.After(evictionWait):
	}
	return true
}

// evict closes up to n clients, those first that have been idle longest, and returns how many.
func (s *Server) evict(n int) (closed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for refilled := false; closed < n; {
		if len(s.evictable) == 0 {
			if refilled {
				break
			}
			s.findEvictable()
			refilled = true
			continue
		}
		next := s.evictable[0]
		s.evictable = s.evictable[1:]
		if next.client.evict(next.since) {
			closed++
		}
	}
	s.stats.evicted.Add(closed)
	return closed
}

// findEvictable collects more clients than are needed now, because it looks at all of them.
func (s *Server) findEvictable() {
	var all []candidate
	latest := s.now() - int64(evictableAfter)
	for c := range s.clients {
		if since := c.since.Load(); since <= latest && c.isEvictable(c.state.Load()) {
			all = append(all, candidate{c, since})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Compare(a.since, b.since) })
	s.evictable = all[:min(len(all), max(candidatesMin, len(all)/candidatesShare))]
}

func (c *client) isEvictable(state int32) bool {
	return state == idle || state == reading || state == waiting
}

// evict closes the client if it is idle since then.
func (c *client) evict(since int64) bool {
	state := c.state.Load()
	if c.released.Load() || c.since.Load() != since || !c.isEvictable(state) ||
		!c.state.CompareAndSwap(state, ending) {
		return false
	}
	_ = c.conn.Close() // no request is in progress
	return true
}

// isShortage reports whether err means that descriptors are short.
func isShortage(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
