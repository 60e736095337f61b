package matrix

import (
	"bytes"
	"math/rand/v2"
)

// A shape makes an input of about n bytes from a question's parts. border is the size of the pieces
// into which the work is divided.
type shape func(r *rand.Rand, parts []string, n, border int) []byte

var shapes = map[string]shape{
	"empty":           func(*rand.Rand, []string, int, int) []byte { return nil },
	"one byte":        func(r *rand.Rand, parts []string, _, _ int) []byte { return mixed(r, parts, 1) },
	"one part":        func(r *rand.Rand, parts []string, _, _ int) []byte { return []byte(pick(r, parts...)) },
	"one line":        func(r *rand.Rand, parts []string, n, _ int) []byte { return oneLine(r, parts, n) },
	"one line, ended": func(r *rand.Rand, parts []string, n, _ int) []byte { return append(oneLine(r, parts, n), '\n') },
	"short lines": func(r *rand.Rand, parts []string, n, _ int) []byte {
		return lines(r, parts, n, []int{0, 1, 5, 30}, "\n")
	},
	"CR LF": func(r *rand.Rand, parts []string, n, _ int) []byte {
		return lines(r, parts, n, []int{0, 1, 20}, "\r\n")
	},
	"lines near sizes": linesNearSizes,
	"only parts":       func(r *rand.Rand, parts []string, n, _ int) []byte { return only(r, parts, n) },
	"one part again":   func(r *rand.Rand, parts []string, n, _ int) []byte { return only(r, []string{pick(r, parts...)}, n) },
	"at borders":       atBorders,
	"zeros":            zeros,
	"random":           func(r *rand.Rand, _ []string, n, _ int) []byte { return randomBytes(r, n, everyByte) },
	"not UTF-8": func(r *rand.Rand, parts []string, n, _ int) []byte {
		return mixed(r, append(parts, "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "é", "\u20ac", "\U0001f600", "\xed\xa0\x80"), n)
	},
	"quotes": func(r *rand.Rand, parts []string, n, _ int) []byte {
		return mixed(r, append(parts, `"`, "\"a\nb\"", `""`, ",", "\n"), n)
	},
}

var everyByte = func() string {
	b := make([]byte, 256)
	for i := range b {
		b[i] = byte(i)
	}
	return string(b)
}()

// mixed returns n bytes of parts and other bytes, with some line feeds.
func mixed(r *rand.Rand, parts []string, n int) (b []byte) {
	parts = append(parts, "\n")
	const others = "ab x\x00.,1\n"
	often := 1 + r.IntN(4)
	for len(b) < n {
		if chance(r, often) {
			b = append(b, pick(r, parts...)...)
		} else {
			b = append(b, others[r.IntN(len(others))])
		}
	}
	return b[:n]
}

// only returns n bytes that consist of parts; the last one may be cut short.
func only(r *rand.Rand, parts []string, n int) (b []byte) {
	for len(b) < n {
		b = append(b, pick(r, parts...)...)
	}
	return b[:n]
}

// oneLine returns n bytes without a line feed: much filling and a few parts, or only parts.
func oneLine(r *rand.Rand, parts []string, n int) []byte {
	var b []byte
	if chance(r, 2) {
		b = only(r, append(parts, "x"), n)
	} else {
		b = bytes.Repeat([]byte{"xa \x00"[r.IntN(4)]}, n)
		for range 1 + r.IntN(5) {
			if n > 0 {
				copy(b[place(r, n):], pick(r, parts...))
			}
		}
	}
	for i, c := range b {
		if c == '\n' {
			b[i] = 'a'
		}
	}
	return b
}

// place returns an index below n: anywhere, near the end, or near a size.
func place(r *rand.Rand, n int) int {
	switch r.IntN(3) {
	case 0:
		return r.IntN(n)
	case 1:
		return max(0, n-1-r.IntN(min(n, 20)))
	}
	return min(n-1, max(0, near(r, sizes(n, n))-r.IntN(8)))
}

// lines returns about n bytes of lines with these lengths; the last one may lack its line feed.
func lines(r *rand.Rand, parts []string, n int, lengths []int, feed string) (b []byte) {
	for len(b) < n {
		b = append(b, oneLine(r, parts, near(r, lengths))...)
		b = append(b, feed...)
	}
	if chance(r, 2) {
		b = bytes.TrimSuffix(b, []byte(feed))
	}
	return b
}

// linesNearSizes returns lines whose lengths are near those at which code takes another path.
func linesNearSizes(r *rand.Rand, parts []string, n, border int) []byte {
	return lines(r, parts, n, sizes(max(n, 1), 1, border, 2*border), "\n")
}

// atBorders returns filled lines with parts at the boundaries of pieces: across a boundary, touching
// it from either side, or filling a piece.
func atBorders(r *rand.Rand, parts []string, n, border int) []byte {
	b := bytes.Repeat([]byte{"x\x00a"[r.IntN(3)]}, n)
	for at := border; at < n && border > 0; at += border * (1 + r.IntN(3)) {
		part := pick(r, parts...)
		from := max(0, at-r.IntN(len(part)+1))
		copy(b[from:], part)
		if chance(r, 4) {
			copy(b[at:min(n, at+border)], bytes.Repeat([]byte(part), border/len(part)+1))
		}
		if near := from - 1 - r.IntN(3); near >= 0 && chance(r, 3) {
			b[near] = '\n'
		}
	}
	return b
}

// zeros returns mostly zeros, like a sparse file: whole pages, and parts near page boundaries.
func zeros(r *rand.Rand, parts []string, n, _ int) []byte {
	const page = 4096
	if n > 1000 {
		n = max(n, 3*page+r.IntN(8*page))
	}
	b := make([]byte, n)
	for range r.IntN(6) {
		if n == 0 {
			break
		}
		at := r.IntN(n)
		if chance(r, 2) {
			at = at / page * page
			at = max(0, min(n-1, at+r.IntN(20)-10))
		}
		copy(b[at:], pick(r, parts...))
		if chance(r, 3) {
			b[at] = '\n'
		}
	}
	return b
}
