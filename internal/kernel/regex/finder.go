package regex

import "bytes"

// finder finds places where a match may be. It is immutable.
type finder struct {
	literal     []byte
	off1, off2  int
	set1, set2  *[256]bool
	lengthBytes int // how far behind its start a candidate reaches
}

func newLiteralFinder(s []byte) finder { return finder{literal: s, lengthBytes: len(s)} }

func newPairFinder(off1 int, set1 *[256]bool, off2 int, set2 *[256]bool) finder {
	return finder{off1: off1, set1: set1, off2: off2, set2: set2, lengthBytes: max(off1, off2) + 1}
}

func (f finder) name() string {
	if f.literal != nil {
		return "literal"
	}
	return "byteset"
}

// index returns the first candidate in b, -1 if there is none.
func (f *finder) index(b []byte) int {
	if f.literal != nil {
		return bytes.Index(b, f.literal)
	}
	for i := 0; i+f.lengthBytes <= len(b); i++ {
		if f.set1[b[i+f.off1]] && f.set2[b[i+f.off2]] {
			return i
		}
	}
	return -1
}
