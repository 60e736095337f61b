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

// cache keeps the most recently used files open. It stores only what was found, so requests for
// missing paths evict nothing. Its bound counts open files, not entries.
//
// Entries are evicted in the order of their last use. The last holder of an evicted entry closes
// it. For an unknown path, or one that is due for revalidation, one goroutine goes to the file
// system; others that ask for the same path meanwhile wait for its result.
type cache struct {
	filesMax int
	maxAge   time.Duration // an entry is revalidated after this time
	start    time.Time

	mu      sync.Mutex
	entries map[string]*Entry
	recent  *list.List // of *Entry, the most recently used in front
	files   int        // open files of all entries
	flights map[string]*flight
	closed  bool
}

// cacheState is the cache's state of an entry, guarded by its mu.
type cacheState struct {
	path    string
	place   *list.Element // nil if it is not in the cache
	files   int           // open files of the entry
	checked time.Duration // when it was validated last, since cache.start
}

// flight is a lookup in progress, for which others may wait.
type flight struct {
	done    chan struct{}
	waiters int64
	entry   *Entry
	err     error
}

var errLookupPanicked = errors.New("another lookup of the same path panicked")

func newCache(filesMax int, validate time.Duration) cache {
	if validate == 0 {
		validate = revalidateDefault
	}
	// The folder through which an entry was found may be just as old; together that makes
	// Revalidate.
	return cache{filesMax: filesMax, maxAge: validate / 2, start: time.Now(),
		entries: map[string]*Entry{}, recent: list.New(), flights: map[string]*flight{}}
}

// Lookup returns the entry at the path of a URL. The path is decoded and begins with a slash. If it
// ends with a slash and the folder has an index.html, the entry is that file. Lookup never blocks
// on special files: everything but regular files and folders is forbidden. So are links that lead
// out of the root, absolute links that do not name the root as Open was given it or as it is without
// links, and, by the rules of os.Root, everything below a folder that may be searched but not read.
// The caller must release the entry.
func (d *Root) Lookup(path string) (*Entry, error) {
	c := &d.cache
	now := time.Since(c.start)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, fmt.Errorf("look up %q: the document root is closed: %w", path, fs.ErrClosed)
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

	defer func() { release(c.finish(path, f, now)) }() // also if the following panics
	if old != nil {
		if d.isCurrent(old) {
			f.entry, f.err = old, nil
			return f.entry, nil
		}
		release(c.remove(old))
		old.Release()
	}
	f.entry, f.err = d.find(path)
	return f.entry, f.err
}

// finish passes the flight's entry to those who wait, and caches it if it is a file. It returns the
// entries to release.
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

// addOpened counts one more open file of an entry.
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

// evict removes the least recently used entries until the bound holds.
func (c *cache) evict(out []*Entry) []*Entry {
	for c.files > c.filesMax {
		out = c.unlink(c.recent.Back().Value.(*Entry), out)
	}
	return out
}

// evictUnheld removes a few of the least recently used entries that have no other holder, to free
// their descriptors for the current request.
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

// unlink removes e from the cache and appends it to out. The caller releases the entries of out
// after unlocking mu, because closing files may block.
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
