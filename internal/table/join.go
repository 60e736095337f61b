package table

import (
	"encoding/binary"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

const (
	endBytes  = 2 // that end a part
	wordBytes = 8
	lowBits   = 0x0101010101010101
	highBits  = 0x8080808080808080
)

// joinBytes returns how much memory join may write to.
func joinBytes(columns []records.Column, sel records.Selection) int {
	n := endBytes*len(columns)*len(sel) + wordBytes
	for _, column := range columns {
		for _, i := range sel {
			n += int(column[i].Len)
		}
	}
	return n
}

// join appends to out the fields of each selected record, joined to one key, and sets spans to these. The
// first columns, as many as ended, become parts of a key, as appendPart encodes them; the others are
// appended as they are. Out has room for joinBytes. Join copies words, and so may read records.SlackBytes
// behind a field of text. It returns false, and out as it was, if a part
// has a zero byte.
func join(out, text []byte, columns []records.Column, ended int, sel records.Selection,
	spans records.Column) ([]byte, bool) {
	text, to, at := text[:cap(text)], out[:cap(out)], len(out)
	zeros := uint64(0)
	for _, i := range sel {
		from := at
		for c, column := range columns {
			s := column[i]
			zero := copyWords(to[at:], text[s.Off:], int(s.Len))
			at += int(s.Len)
			if c < ended {
				zeros |= zero
				to[at], to[at+1] = 0, partEnd
				at += endBytes
			}
		}
		spans[i] = records.Span{Off: uint32(from), Len: uint32(at - from)}
	}
	if zeros != 0 {
		return out, false
	}
	return to[:at], true
}

// copyWords copies n bytes and up to a word of what follows. It returns 0 if none of the n bytes is zero.
func copyWords(to, from []byte, n int) (zeros uint64) {
	for at := 0; at < n; at += wordBytes {
		x := binary.LittleEndian.Uint64(from[at:])
		binary.LittleEndian.PutUint64(to[at:], x)
		if left := n - at; left < wordBytes {
			x |= ^uint64(0) << (8 * left)
		}
		zeros |= (x - lowBits) &^ x & highBits
	}
	return zeros
}
