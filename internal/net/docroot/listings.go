package docroot

import (
	"cmp"
	"container/list"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// listings keep the entries of folders that were listed, because reading and sorting a big folder
// takes a large part of a second, for a request of forty bytes.
//
// A listing is read again when the folder's own times change, and also after a while, because the
// size of a file may change without the folder. Whatever changes, a folder is read for at most half
// of the time: a listing is at least as old as it took to read. One goroutine reads; others that
// ask for the same folder wait for it.
type listings struct {
	reading chan struct{} // semaphore: each folder that is read takes memory

	mu      sync.Mutex
	kept    map[string]*kept
	recent  *list.List // of *kept, the most recently used in front
	bytes   int64
	flights map[string]*listFlight
	serial  atomic.Uint64
	reads   atomic.Int64
}

// ListingStats returns how often a folder was read to list it, and the bytes of the listings that
// are kept.
func (d *Root) ListingStats() (reads, bytes int64) {
	c := &d.listings
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reads.Load(), c.bytes
}

// kept is a listing in the cache.
type kept struct {
	name    string
	listing *Listing
	place   *list.Element
	info    fs.FileInfo   // of the folder, before it was read
	young   bool          // the folder may have changed since without a new time
	read    time.Duration // when reading ended, since the cache's start
	cost    time.Duration // of reading it
}

type listFlight struct {
	done    chan struct{}
	listing *Listing
	err     error
}

const (
	listingsBytesMax = 64 << 20 // of all listings; one may be larger, if it is the only one
	readingMax       = 4        // folders that are read at once
	listingRest      = 4        // a listing is kept for this many times of what it took to read
)

func newListings() listings {
	return listings{reading: make(chan struct{}, readingMax), kept: map[string]*kept{},
		recent: list.New(), flights: map[string]*listFlight{}}
}

// List returns the entries of the folder at path p. The trailing slash of p is optional. A link is
// listed as its target. Entries that Lookup would refuse are left out.
func (d *Root) List(p string) (*Listing, error) {
	name, err := d.folderName(p)
	if err != nil {
		return nil, err
	}
	c := &d.listings
	c.mu.Lock()
	k := c.kept[name]
	c.mu.Unlock()
	if k != nil && d.isCurrentListing(k) {
		return k.listing, nil
	}
	c.mu.Lock()
	if f := c.flights[name]; f != nil {
		c.mu.Unlock()
		<-f.done
		return f.listing, f.err
	}
	if other := c.kept[name]; other != nil && other != k { // read meanwhile
		c.mu.Unlock()
		return other.listing, nil
	}
	f := &listFlight{done: make(chan struct{}), err: errLookupPanicked}
	c.flights[name] = f
	c.mu.Unlock()
	defer func() { // also if the following panics
		c.mu.Lock()
		delete(c.flights, name)
		c.mu.Unlock()
		close(f.done)
	}()
	if f.listing, f.err = d.readListing(name); f.err != nil {
		f.err = d.classify("list", p, f.err)
	}
	return f.listing, f.err
}

// Listed returns the listing of List if it is there already, or nil; then the error is what List
// would say about the folder, as far as opening it tells.
func (d *Root) Listed(p string) (*Listing, error) {
	name, err := d.folderName(p)
	if err != nil {
		return nil, err
	}
	d.listings.mu.Lock()
	k := d.listings.kept[name]
	d.listings.mu.Unlock()
	if k != nil && d.isCurrentListing(k) {
		return k.listing, nil
	}
	f, err := d.openFolder(name)
	if err != nil {
		return nil, d.classify("list", p, err)
	}
	_ = f.Close() // as in Release
	return nil, nil
}

// folderName returns the name of the folder at path p, relative to the root.
func (d *Root) folderName(p string) (string, error) {
	canonical, err := d.canonical(p)
	if err != nil {
		return "", err
	}
	if d.root == nil {
		return "", fmt.Errorf("list %q: %w: no folder", p, ErrNotFound)
	}
	return cmp.Or(strings.Trim(canonical, "/"), "."), nil
}

// isCurrentListing reports whether k is still used as it is, and notes the use.
func (d *Root) isCurrentListing(k *kept) bool {
	age := time.Since(d.cache.start) - k.read
	if age >= max(2*d.cache.maxAge, listingRest*k.cost) {
		return false
	}
	if age >= k.cost {
		info, err := d.stat(k.name)
		if err != nil || k.young || !sameState(info, k.info) {
			return false
		}
	}
	d.listings.mu.Lock()
	if k.place != nil {
		d.listings.recent.MoveToFront(k.place)
	}
	d.listings.mu.Unlock()
	return true
}

// readListing reads a folder and keeps its listing.
func (d *Root) readListing(name string) (*Listing, error) {
	c := &d.listings
	c.reading <- struct{}{}
	defer func() { <-c.reading }()
	began := time.Now()
	c.reads.Add(1)
	info, err := d.stat(name)
	if err != nil {
		return nil, err
	}
	items, err := d.list(name)
	if err != nil {
		return nil, err
	}
	k := &kept{name: name, info: info, young: young(info, began), listing: newListing(items, c.serial.Add(1))}
	k.cost, k.read = time.Since(began), time.Since(d.cache.start)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(c.kept[name])
	c.kept[name], k.place = k, c.recent.PushFront(k)
	c.bytes += k.listing.bytes
	for c.bytes > listingsBytesMax && c.recent.Len() > 1 {
		c.drop(c.recent.Back().Value.(*kept))
	}
	return k.listing, nil
}

func (c *listings) drop(k *kept) {
	if k == nil {
		return
	}
	c.recent.Remove(k.place)
	k.place = nil
	delete(c.kept, k.name)
	c.bytes -= k.listing.bytes
}

// openFolder opens a folder to read its entries.
func (d *Root) openFolder(name string) (*os.File, error) {
	info, err := d.stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%w: no folder", ErrNotFound)
	}
	return fsCall(d, func() (*os.File, error) { return inFolder(d, name, openIn) })
}

// Column is what a listing is sorted by.
type Column int

// The columns of a listing.
const (
	ByName Column = iota
	BySize
	ByTime
	columns
)

// Listing is what a folder held when it was read. Its holders share it and must not change it.
type Listing struct {
	Serial  uint64 // differs between any two listings of a Root
	Items   []Item // folders first, both in the order of compareNames
	Folders int
	Bytes   int64 // of all files

	bytes  int64 // that it takes in memory
	orders [2 * columns]struct {
		once   sync.Once
		places []int32
	}
}

func newListing(items []Item, serial uint64) *Listing {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(foldersFirst(&a, &b), compareNames(a.Name, b.Name))
	})
	const itemBytes = 120 // with the places of all orders
	l := &Listing{Serial: serial, Items: slices.Clip(items), bytes: int64(cap(items)) * itemBytes}
	for i := range items {
		l.bytes += int64(len(items[i].Name))
		l.Bytes += items[i].Size
		if items[i].Folder {
			l.Folders++
		}
	}
	return l
}

func foldersFirst(a, b *Item) int {
	switch {
	case a.Folder == b.Folder:
		return 0
	case a.Folder:
		return -1
	}
	return 1
}

// Order returns the places of Items in the order of a column: folders first, equal values by name.
// It must not be changed.
func (l *Listing) Order(by Column, down bool) []int32 {
	o := &l.orders[2*by]
	if down {
		o = &l.orders[2*by+1]
	}
	o.once.Do(func() {
		o.places = make([]int32, len(l.Items))
		for i := range o.places {
			o.places[i] = int32(i)
		}
		slices.SortFunc(o.places, func(i, j int32) int {
			a, b := &l.Items[i], &l.Items[j]
			c := cmp.Compare(i, j) // Items are sorted by name
			switch by {
			case BySize:
				c = cmp.Compare(a.Size, b.Size)
			case ByTime:
				c = a.Modified.Compare(b.Modified)
			}
			if down {
				c = -c
			}
			return cmp.Or(foldersFirst(a, b), c, cmp.Compare(i, j))
		})
	})
	return o.places
}
