package docroot

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

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
	Items   []Item // folders first, both sorted by the bytes of their names
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
		return cmp.Or(foldersFirst(&a, &b), strings.Compare(a.Name, b.Name))
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
