package fields

import "bytes"

// Split yields the fields of one record, of any length and without what ends its line, as
// the ranges [from, to) of record, until yield returns false. Quotes around a field belong
// to it. A quote that is never closed makes all that follows part of its field.
func (d Dialect) Split(record []byte, yield func(field int, from, to int) bool) {
	field, from := 0, 0
	inside := false
	for i, b := range record {
		switch {
		case d.Quoted && b == d.Quote:
			inside = !inside
		case b == d.Delim && !inside:
			if !yield(field, from, i) {
				return
			}
			field, from = field+1, i+1
		}
	}
	yield(field, from, len(record))
}

// FirstBad returns the offset of the first byte in a record that breaks the rules of
// quoting, as Chunk.Bad has them, or -1.
func (d Dialect) FirstBad(record []byte) int {
	if !d.Quoted {
		return -1
	}
	var s State
	for i, b := range record {
		kind, bad, inside := d.step(b, s)
		if bad {
			return i
		}
		s = State{inside: inside, last: kind}
	}
	return -1
}

// Unquote appends to dst what a field says: without the quotes around it, and with one for
// each two in it. A field that does not begin with a quote stays as it is. In one that does,
// a quote that is alone is left out, wherever it stands: it should be the last byte.
func (d Dialect) Unquote(dst, field []byte) []byte {
	if !d.Quoted || len(field) == 0 || field[0] != d.Quote {
		return append(dst, field...)
	}
	field = field[1:]
	for {
		i := bytes.IndexByte(field, d.Quote)
		if i < 0 {
			return append(dst, field...)
		}
		dst = append(dst, field[:i]...)
		field = field[i+1:]
		if len(field) > 0 && field[0] == d.Quote {
			dst, field = append(dst, d.Quote), field[1:]
		}
	}
}
