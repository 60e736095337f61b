package httpsem

import (
	"fmt"
	"net/textproto"
	"strings"
)

// RangesMax is the most ranges that a header may name; a header with more is ignored.
const RangesMax = 200

// Range is a part of a representation. Bytes is at least 1.
type Range struct{ Off, Bytes int64 }

// ContentRange returns the value of Content-Range for r in a representation of size bytes.
func (r Range) ContentRange(size int64) string {
	return fmt.Sprintf("bytes %d-%d/%d", r.Off, r.Off+r.Bytes-1, size)
}

// Verdict is the result of a Range header.
type Verdict uint8

// The verdicts.
const (
	Ignored       Verdict = iota // not understood, malformed or not useful: send the whole representation
	Satisfiable                  // at least one range contains bytes
	Unsatisfiable                // well formed, but no range contains bytes
)

// ParseRanges resolves the value of a Range header against size bytes (14.1, 14.2). Ranges without
// bytes are dropped, the others keep their order. A number too big for an int64 is after the end of
// any file.
//
// The header is ignored if its unit is not bytes, if it is malformed, if it names more than
// RangesMax ranges, or if its ranges together hold more bytes than the representation. That happens
// only when they overlap, and the whole is then shorter. So no header can make a response longer
// than the file plus the part headers.
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

// resolve returns the range that "first-last", "first-" or "-suffix" describes, with 0 bytes if it
// is unsatisfiable. It reports false if spec is malformed.
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

// parsePosition returns the number that digits spell, at most the largest int64. It reports false
// unless digits are one or more decimal digits.
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

// lessDecimal compares decimal numbers of any length.
func lessDecimal(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}
