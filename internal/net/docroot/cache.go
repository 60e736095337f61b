package docroot

import (
	"container/list"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"
)

// cache keeps the files open that were asked for last. Only what was found is kept, so
// paths that lead nowhere push nothing out. Its bound counts open files, not entries.
//
// Entries leave in the order of their last use. One that leaves while it is held is closed
// by its last holder. Whoever meets an unknown path, or one that is due to be compared
// with the file system, goes there alone; others that ask for it meanwhile wait for what
// he finds.
type cache struct {
	filesMax int
	maxAge   time.Duration // an entry is compared again after this long
	start    time.Time

	mu      sync.Mutex
	entries map[string]*Entry
	recent  *list.List // of *Entry, the one used last in front
	files   int        // open files of all entries
	flights map[string]*flight
	closed  bool
}

// kept is what the cache knows of an entry; its mu guards it.
type cacheState struct {
	path    string
	place   *list.Element // nil when it is not in the cache
	files   int           // open files of the entry
	checked time.Duration // when it was compared last, since the cache's start
}

// flight is a lookup that others wait for.
type flight struct {
	done    chan struct{}
	waiters int64
	entry   *Entry
	err     error
}

var errLookupPanicked = errors.New("another lookup of the same path was broken off")

func newCache(filesMax int, validate time.Duration) cache {
	if validate == 0 {
		validate = revalidateDefault
	}
	// The folder through which an entry was found may be as old again: that makes Validate.
	return cache{filesMax: filesMax, maxAge: validate / 2, start: time.Now(),
		entries: map[string]*Entry{}, recent: list.New(), flights: map[string]*flight{}}
}

// Lookup returns what stands at the path of a URL, decoded, which begins with a slash. A
// folder with an index.html is that file when its path ends with a slash. It never blocks
// on what is no regular file or folder: these are forbidden, as are links that lead out,
// absolute links, and what stands below a folder that may be searched but not read: those
// are the rules of os.Root.
func (s *Root) Lookup(path string) (*Entry, error) {
	c := &s.cache
	now := time.Since(c.start)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, fmt.Errorf("look up %q: the site is closed: %w", path, fs.ErrClosed)
	}
	old := c.entries[path]
	if old != nil && now-old.cacheState.checked < c.maxAge {
		c.recent.MoveToFront(old.cacheState.place)
		old.holders.Add(1)
		c.mu.Unlock()
		return old, nil
	}
	if f := c.flights[path]; f != nil {
		f.waiters++
		c.mu.Unlock()
		<-f.done
		return f.entry, f.err
	}
	f := &flight{done: make(chan struct{}), err: errLookupPanicked}
	c.flights[path] = f
	if old != nil {
		old.holders.Add(1)
	}
	c.mu.Unlock()

	defer func() { release(c.finish(path, f, now)) }() // also when what follows panics
	if old != nil {
		if s.isCurrent(old) {
			f.entry, f.err = old, nil
			return f.entry, nil
		}
		release(c.remove(old))
		old.Release()
	}
	f.entry, f.err = s.find(path)
	return f.entry, f.err
}

// land hands the entry that a flight found to those who wait, and keeps it where it is a
// file. It returns what had to go for it.
func (c *cache) finish(path string, f *flight, now time.Duration) (out []*Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, path)
	if e := f.entry; e != nil && e.root != nil {
		e.holders.Add(f.waiters)
		switch k := &e.cacheState; {
		case k.place != nil:
			k.checked = now
			c.recent.MoveToFront(k.place)
		case !c.closed && c.entries[path] == nil:
			e.holders.Add(1)
			k.path, k.place, k.checked = strings.Clone(path), c.recent.PushFront(e), now
			c.entries[k.path] = e
			c.files += k.files
			out = c.evict(nil)
		}
	}
	close(f.done)
	return out
}

// opened tells that an entry has one more file open.
func (c *cache) addOpened(e *Entry) (out []*Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.cacheState.files++
	if e.cacheState.place == nil {
		return nil
	}
	c.files++
	return c.evict(nil)
}

// shrink takes entries out, the longest unused first, until the bound is kept.
func (c *cache) evict(out []*Entry) []*Entry {
	for c.files > c.filesMax {
		out = c.unlink(c.recent.Back().Value.(*Entry), out)
	}
	return out
}

// giveBack takes entries out that nobody else holds, a few, so that the descriptors of the
// longest unused serve what is asked for now.
func (c *cache) evictUnheld() (out []*Entry) {
	const few = 16
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := c.recent.Back(); at != nil && len(out) < few; {
		e := at.Value.(*Entry)
		at = at.Prev()
		if e.holders.Load() == 1 {
			out = c.unlink(e, out)
		}
	}
	return out
}

func (c *cache) remove(e *Entry) []*Entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unlink(e, nil)
}

func (c *cache) close() (out []*Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for c.recent.Len() > 0 {
		out = c.unlink(c.recent.Back().Value.(*Entry), out)
	}
	return out
}

// unlink takes e out and appends it to out, whose entries are to be released once mu is
// free: closing files may wait.
func (c *cache) unlink(e *Entry, out []*Entry) []*Entry {
	if e.cacheState.place == nil {
		return out
	}
	c.recent.Remove(e.cacheState.place)
	delete(c.entries, e.cacheState.path)
	c.files -= e.cacheState.files
	e.cacheState.place = nil
	return append(out, e)
}
