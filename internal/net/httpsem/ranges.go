package httpsem

import (
	"fmt"
	"net/textproto"
	"strings"
)

// RangesMax is how many ranges a header may name; one with more is ignored.
const RangesMax = 200

// Range is a part of a representation; Bytes is at least one.
type Range struct{ Off, Bytes int64 }

// ContentRange returns the value of Content-Range for r in size bytes.
func (r Range) ContentRange(size int64) string {
	return fmt.Sprintf("bytes %d-%d/%d", r.Off, r.Off+r.Bytes-1, size)
}

// Verdict is what a Range header comes to.
type Verdict uint8

// The verdicts.
const (
	Ignored       Verdict = iota // not understood, malformed or not worth it: the answer is the whole
	Satisfiable                  // at least one range has bytes
	Unsatisfiable                // well formed, and none has
)

// ParseRanges resolves the value of a Range header against size bytes (14.1, 14.2). Ranges
// without bytes are left out, the others keep their order. A number too big for an int64
// lies behind the end of any file.
//
// A header is ignored when its unit is not bytes, when it breaks the grammar, when it names
// more than RangesMax ranges, and when several ranges hold together more bytes than the
// representation: that happens only where they overlap, and then the whole is shorter. So
// no header makes an answer longer than the file and its part headers.
func ParseRanges(field string, size int64) ([]Range, Verdict) {
	unit, set, found := strings.Cut(field, "=")
	if !found || !strings.EqualFold(unit, "bytes") {
		return nil, Ignored
	}
	var ranges []Range
	specs, left := 0, size
	for spec := range strings.SplitSeq(set, ",") {
		spec = textproto.TrimString(spec)
		if spec == "" {
			continue // a list may have empty elements (5.6.1.2)
		}
		if specs++; specs > RangesMax {
			return nil, Ignored
		}
		r, ok := resolve(spec, size)
		if !ok {
			return nil, Ignored
		}
		if r.Bytes == 0 {
			continue
		}
		if ranges = append(ranges, r); r.Bytes > left {
			return nil, Ignored
		}
		left -= r.Bytes
	}
	switch {
	case specs == 0:
		return nil, Ignored
	case len(ranges) == 0:
		return nil, Unsatisfiable
	}
	return ranges, Satisfiable
}

// resolve returns the bytes that "first-last", "first-" or "-suffix" stands for, none where
// it is unsatisfiable, and whether it is well formed.
func resolve(spec string, size int64) (Range, bool) {
	first, last, found := strings.Cut(spec, "-")
	from, hasFirst := parsePosition(first)
	to, hasLast := parsePosition(last)
	switch {
	case !found, first != "" && !hasFirst, last != "" && !hasLast:
		return Range{}, false
	case !hasFirst && !hasLast:
		return Range{}, false
	case !hasFirst:
		n := min(to, size)
		return Range{size - n, n}, true
	case !hasLast:
		to = size - 1
	case lessDecimal(last, first):
		return Range{}, false
	}
	if from >= size {
		return Range{}, true
	}
	return Range{from, min(to, size-1) - from + 1}, true
}

// position returns the number that digits spell, or the biggest int64 where it is bigger,
// and whether they are digits, at least one.
func parsePosition(digits string) (int64, bool) {
	const most = 1<<63 - 1
	var n int64
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0, false
		}
		if d := int64(c - '0'); n > (most-d)/10 {
			n = most
		} else {
			n = n*10 + d
		}
	}
	return n, digits != ""
}

// less compares numbers of any length.
func lessDecimal(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}
