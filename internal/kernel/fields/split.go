package fields

import "bytes"

// Split yields the fields of one record as ranges [from, to) of record, until yield returns false.
// The record may have any length and excludes its line ending. The range of a quoted field includes
// its quotes. If a quote is never closed, its field extends to the end of the record.
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

// FirstBad returns the offset of the first byte of a record that violates the rules of quoting, as
// defined by Chunk.Bad, or -1.
func (d Dialect) FirstBad(record []byte) int {
	s, bad := AtField, false
	for i, b := range record {
		if s, bad = d.Next(s, b); bad {
			return i
		}
	}
	return -1
}

// Unquote appends the value of a field to dst: without the quotes around it, and with one quote for
// each doubled one. A field that does not begin with a quote is appended unchanged. If something
// other than a separator follows the closing quote, the rest is appended unchanged.
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
