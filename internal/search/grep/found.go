package grep

import "bytes"

// hit is a matching line in a text, with its line feed.
type hit struct {
	start, end int
	num        int64 // of lines before it in the text, if lines are numbered
	spans      int   // in found.spans: behind those of its matches
}

// found is what was found in a text up to an index.
type found struct {
	hits  []hit // lines; if lines are printed as they are, stretches of selected ones
	picks int64 // selected lines in those stretches, and in hits that were joined
	apart bool  // hits are not joined: there is a zero byte, and each line is looked at
	n     int64 // matching lines
	feeds int64 // lines, if they matter
	nul   int   // the first zero byte, -1 if there is none, or it does not matter
	upTo  int
	spans [][2]int // the matches in each line, if they are printed
	each  counted  // of Each
	lost  [][2]int // parts of lines of which not all matches are known
}

// pick adds a stretch of selected lines. Neighbours are one stretch.
func (f *found) pick(start, end int) {
	switch n := len(f.hits); {
	case start == end:
	case n > 0 && f.hits[n-1].end == start:
		f.hits[n-1].end = end
	default:
		f.hits = append(f.hits, hit{start: start, end: end})
	}
}

// join makes the selected line between start and end a part of the hit that ends at last, if all lines between them
// are context. Then what is printed of both is one stretch.
func (f *found) join(last, start, end int, data []byte, context int) bool {
	n := len(f.hits)
	if n == 0 {
		return false
	}
	for between := data[last:start]; len(between) > 0; context-- {
		if context == 0 {
			return false
		}
		between = between[bytes.IndexByte(between, '\n')+1:]
	}
	f.hits[n-1].end = end
	return true
}
