package fields

import "bytes"

// Split yields the fields of one record, of any length and without what ends its line, as
// the ranges [from, to) of record, until yield returns false. Quotes around a field belong
// to it. A quote that is never closed makes all that follows part of its field.
func (d Dialect) Split(record []byte, yield func(field int, from, to int) bool) {
	field, from := 0, 0
	s := AtField
	for i, b := range record {
		if s, _ = d.Next(s, b); s == AtField {
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
	s, bad := AtField, false
	for i, b := range record {
		if s, bad = d.Next(s, b); bad {
			return i
		}
	}
	return -1
}

// Unquote appends to dst what a field says: without the quotes around it, and with one for
// each two in it. A field that does not begin with a quote stays as it is. Of one whose
// closing quote is followed by something that should not be there, the rest is as it stands.
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
		if len(field) == 0 || field[0] != d.Quote {
			return append(dst, field...)
		}
		dst, field = append(dst, d.Quote), field[1:]
	}
}
