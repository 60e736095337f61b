package batch

import (
	"bytes"
	"math"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

const (
	endBytes  = 2 // that end a part
	pairBytes = 16
)

// JoinBytes returns how much memory Join may write to, and the length of the shortest field.
func JoinBytes(columns []records.Column, sel records.Selection) (n int, least uint32) {
	n, least = endBytes*len(columns)*len(sel)+pairBytes, math.MaxUint32
	for _, column := range columns {
		for _, i := range sel {
			n += int(column[i].Len)
			least = min(least, column[i].Len)
		}
	}
	return n, least
}

// Join appends to out the fields of each selected record, joined to one key, and sets spans to these. The
// first columns, as many as ended, become parts of a key, as value.AppendPart encodes them; the others are
// appended as they are. So many of the fields as nulls are value.NullPart. Out has room for JoinBytes. Join copies
// pairs of words, and so may read records.SlackBytes after a field of text. It returns false, and out as it was, if
// a part has a zero byte; it may do so if another field has one.
func Join(out, text []byte, columns []records.Column, ended, nulls int, sel records.Selection,
	spans records.Column) ([]byte, bool) {
	text, to, at := text[:cap(text)], out[:cap(out)], len(out)
	for _, i := range sel {
		from := at
		for c, column := range columns {
			s := column[i]
			*(*[pairBytes]byte)(to[at:]) = *(*[pairBytes]byte)(text[s.Off:])
			if s.Len > pairBytes {
				copy(to[at+pairBytes:], text[s.Off+pairBytes:s.Off+s.Len])
			}
			at += int(s.Len)
			if c < ended {
				to[at], to[at+1] = 0, 0
				at += endBytes
			}
		}
		spans[i] = records.Span{Off: uint32(from), Len: uint32(at - from)}
	}
	// The ends of parts are zeros. To count all of them takes less than to look at each part.
	if ended > 0 && bytes.Count(to[len(out):at], []byte{0}) != endBytes*ended*len(sel)+nulls {
		return out, false
	}
	return to[:at], true
}
