package journal

import (
	"fmt"
	"slices"
)

// Summary is what was found in a range. Summaries of neighbouring ranges compose, whatever the order
// in which they were made; an interrupted run is resumed by composing what came before with the rest.
type Summary struct {
	Off    int64  `json:"from"`
	End    int64  `json:"to"`
	Read   int64  `json:"read"`            // bytes
	Holes  int64  `json:"holes,omitempty"` // bytes that are in holes of an image file: they were not read
	First  *int64 `json:"first,omitempty"` // offset of the first byte that is not as it should be
	Other  Ranges `json:"other"`           // sectors with such bytes
	Unread Ranges `json:"unread"`
	// Different is how many bytes of two inputs differ.
	Different int64 `json:"different,omitempty"`
	// Cached says of which of two inputs some bytes came through the page cache.
	Cached [2]bool `json:"cached,omitzero"`
}

// Join adds the summary of what follows.
func (s *Summary) Join(next Summary, limit int) {
	if s.End != next.Off {
		panic(fmt.Sprintf("thresh: bug: a summary from %d on joined to one that ends at %d", next.Off, s.End))
	}
	s.End = next.End
	s.Read += next.Read
	s.Holes += next.Holes
	s.Different += next.Different
	s.Cached = [2]bool{s.Cached[0] || next.Cached[0], s.Cached[1] || next.Cached[1]}
	if s.First == nil {
		s.First = next.First
	}
	s.Other.Join(next.Other, limit)
	s.Unread.Join(next.Unread, limit)
}

// check returns an error for a summary, read from a journal, that cannot follow one that ends at off.
func (s Summary) check(off int64) error {
	if s.Off != off || s.End < s.Off || s.Read < 0 || s.Holes < 0 || s.Different < 0 {
		return fmt.Errorf("a record of the bytes from %d to %d follows one that ends at %d", s.Off, s.End, off)
	}
	for _, r := range []Ranges{s.Other, s.Unread} {
		if n := int64(len(r.List)); r.Count < n || r.Count > 0 && n == 0 {
			return fmt.Errorf("a record lists %d of %d ranges", n, r.Count)
		}
	}
	return nil
}

// Clone returns a copy that later joins do not change.
func (s Summary) Clone() Summary {
	s.Other.List = slices.Clone(s.Other.List)
	s.Unread.List = slices.Clone(s.Unread.List)
	return s
}
