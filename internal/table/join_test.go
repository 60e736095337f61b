package table

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/value"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// TestJoin compares join with value.AppendPart.
func TestJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	refused := 0
	for range rounds.Of(2000) {
		n := 1 + r.IntN(20)
		columns := make([]records.Column, 1+r.IntN(3))
		ended := r.IntN(len(columns) + 1)
		var text []byte
		var sel records.Selection
		zero := false
		for c := range columns {
			columns[c] = make(records.Column, n)
			for i := range columns[c] {
				field := bytes.Repeat([]byte{byte('a' + i)}, r.IntN(40))
				if len(field) > 0 && r.IntN(100) == 0 {
					field[r.IntN(len(field))] = 0
				}
				columns[c][i] = records.Span{Off: uint32(len(text)), Len: uint32(len(field))}
				text = append(text, field...)
				if r.IntN(2) == 0 {
					text = append(text, 0)
				}
			}
		}
		for i := range uint16(n) {
			if r.IntN(3) > 0 {
				sel = append(sel, i)
			}
		}
		var want [][]byte
		for _, i := range sel {
			key := []byte(nil)
			for c := range columns {
				field := columns[c][i].Of(text)
				if c < ended {
					key = value.AppendPart(key, field)
				} else {
					key = append(key, field...)
				}
				zero = zero || ended > 0 && bytes.IndexByte(field, 0) >= 0
			}
			want = append(want, key)
		}
		text = append(text, make([]byte, records.SlackBytes)...)
		before := r.IntN(5)
		bytesMax, _ := batch.JoinBytes(columns, sel)
		room := bytes.Repeat([]byte("!"), before+bytesMax+1)
		out, spans := room[:before:len(room)-1], make(records.Column, n)
		got, ok := batch.Join(out, text, columns, ended, 0, sel, spans)
		if ok == zero || room[len(room)-1] != '!' {
			t.Fatalf("joined: %v, with a zero byte in a part: %v", ok, zero)
		}
		if !ok {
			refused++
			continue
		}
		for k, i := range sel {
			if !bytes.Equal(spans[i].Of(got), want[k]) {
				t.Fatalf("got %q, want %q", spans[i].Of(got), want[k])
			}
		}
		if string(got[:before]) != "!!!!!"[:before] {
			t.Fatalf("what was there is %q now", got[:before])
		}
	}
	if refused == 0 {
		t.Error("no part had a zero byte")
	}
}
