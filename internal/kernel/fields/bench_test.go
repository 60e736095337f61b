package fields

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// texts are kinds of CSV that differ in how quotes occur.
var texts = []struct {
	name    string
	dialect Dialect
	record  string
}{
	{"bare", Dialect{Delim: ','}, "1714,42.5,Amsterdam,open,2024-05-01\n"},
	{"none", Dialect{',', '"', true}, "1714,42.5,Amsterdam,open,2024-05-01\n"},
	{"one-field", Dialect{',', '"', true}, "1714,42.5,\"Amsterdam, North\",open,2024-05-01," + strings.Repeat("12345,", 20) + "\n"},
	{"all-fields", Dialect{',', '"', true}, "\"1714\",\"42.5\",\"Amsterdam\",\"open\",\"a \"\"b\"\"\nc\"\n"},
}

// chunks returns one chunk of text with slack, filled by repeating a record.
func chunk(tb testing.TB, record string) []byte {
	text := kerneltest.HugePages(tb, ChunkBytes+records.SlackBytes)
	copy(text, bytes.Repeat([]byte(record), len(text)/len(record)+1))
	return text[:ChunkBytes]
}

func BenchmarkMasks(b *testing.B) {
	for _, v := range variants {
		if !cpu.Has(v.ISA) {
			continue
		}
		for _, kind := range texts {
			b.Run("isa="+v.ISA.String()+"/quotes="+kind.name, func(b *testing.B) {
				text, c, want := chunk(b, kind.record), new(Chunk), new(Chunk)
				state := markBytes(want, text, kind.dialect, AtField)
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if got := v.Func(c, text, kind.dialect, AtField); got != state {
						b.Fatalf("got %+v, want %+v", got, state)
					}
				}
				if c.Delims != want.Delims || c.Feeds != want.Feeds || c.Bad != want.Bad || c.Before != want.Before {
					b.Fatal("wrong structure")
				}
			})
		}
	}
}

// batches does everything needed to find fields, over every chunk of text.
func chain(b *testing.B, text []byte, d Dialect, n int, wanted []int) {
	for _, v := range variants {
		if !cpu.Has(v.ISA) {
			continue
		}
		b.Run("isa="+v.ISA.String(), func(b *testing.B) {
			c := new(Chunk)
			ends, stops := make([]uint32, records.Max), make([]uint32, records.Max)
			columns := make([]records.Column, len(wanted))
			for i := range columns {
				columns[i] = make(records.Column, records.Max)
			}
			odd := make([]uint16, 0, records.Max)
			want, rows := bytes.Count(text, []byte{'\n'}), 0
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				rows = 0
				for rest := text; len(rest) > records.SlackBytes; {
					part := rest[:min(ChunkBytes, len(rest)-records.SlackBytes)]
					v.Func(c, part, d, AtField)
					begin := uint32(0)
					for {
						k := c.Ends(begin, ends)
						if k == 0 {
							break
						}
						Stops(part, begin, ends[:k], stops[:k])
						odd = c.Ragged(begin, ends[:k], n, odd[:0])
						if len(odd) != 0 {
							b.Fatal("ragged")
						}
						c.Locate(wanted, begin, ends[:k], stops[:k], columns)
						begin = ends[k-1] + 1
						rows += k
					}
					if begin == 0 {
						break
					}
					rest = rest[begin:]
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
			if rows > want || rows < want-20 {
				b.Fatalf("%d rows of %d", rows, want)
			}
		})
	}
}

// BenchmarkFEC has long records of 21 short fields: real ones if the sample is available, otherwise
// similar ones.
func BenchmarkFEC(b *testing.B) {
	text, err := os.ReadFile(filepath.Join(os.Getenv("THRESH_DATA"), "fec-sample.txt"))
	if err != nil {
		text = bytes.Repeat([]byte("C00160770|A|M12|P|201712159089205590|15|IND|OHERREN, ANNA|NASHUA|NH|030621893|WALGREEN CO|"+
			"DIRECTOR PHARMACY AND RETAIL OPERATION|11302017|50||A2082430EACAE4672AAC|1194070|||4121520171489083956\n"), 2000)
	}
	text = text[:min(len(text), 400<<10)]
	chain(b, text, Dialect{Delim: '|'}, 21, []int{4, 7})
}

// BenchmarkBRC has short records of two fields.
func BenchmarkBRC(b *testing.B) {
	text := bytes.Repeat([]byte("Hamburg;12.0\nBulawayo;8.9\nPalembang;38.8\nSt. John's;15.2\nCracow;-12.6\n"), 5000)
	chain(b, text, Dialect{Delim: ';'}, 2, []int{0, 1})
}
