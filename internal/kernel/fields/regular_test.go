package fields

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// regularPlain defines what Regular returns: it reads byte by byte.
func regularPlain(text []byte, d Dialect, fields int) (n int, end uint32, ok bool) {
	s, found := AtField, 1
	for i, c := range text {
		next, bad := d.Next(s, c)
		if bad {
			return 0, 0, false
		}
		switch s = next; {
		case s != AtField:
		case c != '\n':
			found++
		case found != fields:
			return 0, 0, false
		default:
			n, end, found = n+1, uint32(i)+1, 1
		}
	}
	return n, end, true
}

// TestRegular compares with the plain definition, on regular texts of every length around the words
// of the masks, as they are and with one byte changed.
func TestRegular(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	regular, irregular := 0, 0
	for _, d := range []Dialect{{Delim: ',', Quote: '"', Quoted: true}, {Delim: '|'}} {
		for range 6000 {
			columns := 1 + r.IntN(6)
			if r.IntN(8) == 0 {
				columns = 60 + r.IntN(8)
			}
			var text []byte
			for range r.IntN(60) {
				for column := range columns {
					field := bytes.Repeat([]byte("x"), r.IntN(4)*r.IntN(8))
					if d.Quoted && r.IntN(4) == 0 {
						field = append(append([]byte(`"`), field...), ",\n\"\"\""...)
					}
					text = append(text, field...)
					text = append(text, d.Delim)
					if column == columns-1 {
						text[len(text)-1] = '\n'
					}
				}
			}
			text = text[:min(r.IntN(len(text)+1)+r.IntN(80), len(text))]
			if len(text) > 0 && r.IntN(2) == 0 {
				text[r.IntN(len(text))] = []byte("x,|\n\"\r")[r.IntN(6)]
			}
			want, wantEnd, wantOK := regularPlain(text, d, columns)
			if wantOK {
				regular++
			} else {
				irregular++
			}
			for _, v := range variants {
				if !cpu.Has(v.ISA) {
					continue
				}
				var c Chunk
				c.MasksOnly = true
				slack := append(bytes.Clone(text), make([]byte, 64)...)[:len(text)]
				v.Func(&c, slack, d, AtField)
				if n, end, ok := c.Regular(columns); ok != wantOK || ok && (n != want || end != wantEnd) {
					t.Fatalf("%v, %q, %+v, %d columns: got %d, %d, %v, want %d, %d, %v",
						v.ISA, text, d, columns, n, end, ok, want, wantEnd, wantOK)
				}
			}
		}
	}
	if regular < 2000 || irregular < 2000 {
		t.Fatalf("%d texts were regular, %d were not", regular, irregular)
	}
}
