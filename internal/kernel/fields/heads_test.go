package fields

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// longText returns records of n fields each, most of them longer than a vector, and where their fields lie.
func longText(r *rand.Rand, n, bytesMax int) (text []byte, all []record) {
	for {
		size := 1 + r.IntN(2*wordBytes/n+8)
		one := record{begin: uint32(len(text))}
		line := []byte(nil)
		for k := range n {
			from := one.begin + uint32(len(line))
			line = append(line, strings.Repeat("x", r.IntN(size))...)
			one.fields = append(one.fields, records.Span{Off: from, Len: one.begin + uint32(len(line)) - from})
			if k < n-1 {
				line = append(line, '|')
			}
		}
		if line = append(line, '\n'); len(text)+len(line) > bytesMax {
			return text, all
		}
		text = append(text, line...)
		all = append(all, one)
	}
}

// TestHeads compares what each variant finds with how the text was made.
func TestHeads(t *testing.T) {
	kerneltest.Run(t, headVariants(), func(t *testing.T, f headKernels) {
		r := rand.New(rand.NewPCG(7, 8))
		h, located, refused := &Heads{kernels: f}, 0, 0
		for range rounds.Of(400) {
			n := 2 + r.IntN(24)
			text, all := longText(r, n, 1+r.IntN(ChunkBytes))
			size := len(text)
			ends := 0 // records that end in whole words
			for ends < len(all) && int(endOf(all[ends])) < size/wordBytes*wordBytes {
				ends++
			}
			text = append(text, bytes.Repeat([]byte("|\n"), HeadSlack/2)...)[:size]
			got := h.Mark(text, '|', n)
			if ends > headsMax && got == 0 {
				continue
			}
			if got != ends {
				t.Fatalf("%d records of %d fields, want %d of %d", got, n, ends, len(all))
			}
			if h.Mark(text, '|', n+1) != 0 || h.Mark(text, ',', n) != 0 {
				t.Fatal("records with another number of fields")
			}
			h.Mark(text, '|', n)
			var wanted []int
			for k := range min(n-1, headFieldsMax) {
				if r.IntN(3) == 0 {
					wanted = append(wanted, k)
				}
			}
			if !HeadFields(wanted, n) {
				continue
			}
			columns := make([]records.Column, len(wanted))
			for k := range columns {
				columns[k] = make(records.Column, records.Max)
			}
			for from := 0; from < got; {
				k := min(1+r.IntN(HeadBatch), got-from)
				last := wanted[len(wanted)-1]
				within := !slices.ContainsFunc(all[from:from+k], func(one record) bool {
					end := one.fields[last].Off + one.fields[last].Len
					return end-one.begin >= HeadSlack
				})
				if ok := h.Locate(text, '|', from, k, wanted, columns); ok != within {
					t.Fatalf("located: %v, want %v", ok, within)
				}
				for i, one := range all[from : from+k] {
					if h.End(from+i) != endOf(one) || h.End(from+i-1)+1 != one.begin {
						t.Fatalf("record %d ends at %d", from+i, h.End(from+i))
					}
					for c, field := range wanted {
						if within && columns[c][i] != one.fields[field] {
							t.Fatalf("field %d of record %d: got %v, want %v", field, from+i, columns[c][i], one.fields[field])
						}
					}
				}
				if from += k; within {
					located++
				} else {
					refused++
				}
			}
		}
		if located == 0 || refused == 0 {
			t.Errorf("%d batches were located and %d refused", located, refused)
		}
	})
}

func endOf(one record) uint32 {
	last := one.fields[len(one.fields)-1]
	return last.Off + last.Len
}

// TestHeadsRefuses takes records of which one has another number of fields, and texts of too many records.
func TestHeadsRefuses(t *testing.T) {
	kerneltest.Run(t, headVariants(), func(t *testing.T, f headKernels) {
		h := &Heads{kernels: f}
		mark := func(text string) int { return h.Mark([]byte(text+strings.Repeat("-", HeadSlack)), '|', 3) }
		good := strings.Repeat("x|"+strings.Repeat("y", 70)+"|z\n", 20)
		for name, c := range map[string]struct {
			text string
			want int
		}{
			"all":      {good, 20},
			"more":     {good + "a|b|c|d\n" + good, 0},
			"fewer":    {good + "a|b\n" + good, 0},
			"empty":    {good + "\n" + good, 0},
			"short":    {good + "||\n||\n||\n" + good, 43},
			"first":    {"a|b\n" + good, 0},
			"most":     {strings.Repeat("||\n", headsMax), headsMax},
			"too many": {strings.Repeat("||\n", headsMax+1), 0},
			"feeds":    {strings.Repeat("\n", 4*wordBytes), 0},
			"none":     {strings.Repeat("x", 100), 0},
		} {
			if got := mark(c.text); got != c.want {
				t.Errorf("%s: %d records, want %d", name, got, c.want)
			}
		}
	})
}

// BenchmarkHeads finds two fields of 21 in all records of a chunk.
func BenchmarkHeads(b *testing.B) {
	text, _ := longText(rand.New(rand.NewPCG(1, 2)), 21, ChunkBytes)
	size := len(text)
	text = append(text, make([]byte, HeadSlack)...)[:size]
	columns := []records.Column{make(records.Column, records.Max), make(records.Column, records.Max)}
	for _, v := range headVariants() {
		b.Run(fmt.Sprintf("isa=%v", v.ISA), func(b *testing.B) {
			h := &Heads{kernels: v.Func}
			b.SetBytes(int64(size))
			for b.Loop() {
				n := h.Mark(text, '|', 21)
				for from := 0; from < n; from += HeadBatch {
					if !h.Locate(text, '|', from, min(HeadBatch, n-from), []int{4, 7}, columns) {
						b.Fatal("refused")
					}
				}
			}
		})
	}
}
