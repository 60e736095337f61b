package encoded

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
)

// TestReader reads what was written, and all beginnings of it.
func TestReader(t *testing.T) {
	b := binary.AppendUvarint([]byte{7}, math.MaxUint64)
	b = binary.AppendVarint(b, math.MinInt64)
	b = binary.LittleEndian.AppendUint64(b, 1<<63)
	b = AppendBytes(AppendBytes(b, nil), []byte("text"))
	for n := range len(b) + 1 {
		r := Reader{Rest: b[:n]}
		one, large, low, word := r.Byte(), r.Uvarint(), r.Varint(), r.Word()
		empty, text := r.Bytes(), r.Bytes()
		if r.Bad != (n < len(b)) || len(r.Rest) > 0 {
			t.Errorf("%d of %d bytes: %+v", n, len(b), r)
		}
		if r.Bad {
			if r.Byte() != 0 || r.Uvarint() != 0 || r.Varint() != 0 || r.Word() != 0 || r.Bytes() != nil || r.Take(0) != nil {
				t.Errorf("%d bytes: something is read after an error", n)
			}
			continue
		}
		if one != 7 || large != math.MaxUint64 || low != math.MinInt64 || word != 1<<63 || len(empty) > 0 ||
			!bytes.Equal(text, []byte("text")) || cap(text) != len(text) {
			t.Errorf("read %d %d %d %d %q %q", one, large, low, word, empty, text)
		}
	}
	r := Reader{Rest: []byte{5, 6}}
	if r.UvarintTo(5) != 5 || r.Bad || r.UvarintTo(5) != 0 || !r.Bad {
		t.Errorf("%+v after a number that is too large", r)
	}
}
