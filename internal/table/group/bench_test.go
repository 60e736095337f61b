package group

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// benchKeys are names of 3 bytes and more, most of them short: a share of them in 8 has any
// length up to the greatest.
func benchKeys(n, longOf8, bytesMax int) (keys []string) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		size := 3 + r.IntN(10)
		if i%8 < longOf8 {
			size = 3 + r.IntN(bytesMax-3)
		}
		b := make([]byte, 0, size+5)
		for len(b) < size {
			b = append(b, byte('a'+r.IntN(26)))
		}
		keys = append(keys, string(fmt.Append(b[:max(len(b)-4, 0)], i)))
	}
	return keys
}

// BenchmarkLookup looks up the keys of records in texts of about 32 KiB.
func BenchmarkLookup(b *testing.B) {
	for _, c := range []struct {
		name                    string
		keys, longOf8, bytesMax int
	}{{"keys=46", 46, 0, 13}, {"keys=2000", 2000, 0, 13}, {"keys=413", 413, 1, 26}, {"keys=10000", 10000, 1, 100}, {"keys=10000/long", 10000, 8, 100}} {
		b.Run(c.name, func(b *testing.B) {
			const batches = 12 // more than branch prediction remembers, and in the L2 cache
			keys := benchKeys(c.keys, c.longOf8, c.bytesMax)
			r := rand.New(rand.NewPCG(5, 6))
			var texts [batches][]byte
			var columns [batches]records.Column
			var sel records.Selection
			for i := range texts {
				var part []string
				for range records.Max {
					part = append(part, keys[r.IntN(len(keys))]+";12.3\n")
				}
				texts[i], columns[i], sel = batch(part)
				for j := range columns[i] {
					columns[i][j].Len -= 6
				}
				texts[i] = append(texts[i], make([]byte, records.SlackBytes)...)
			}
			table := newTable(b, 16<<20, false)
			ids := make([]uint32, records.Max)
			i := 0
			for b.Loop() {
				if err := table.Lookup(texts[i%batches], columns[i%batches], sel, ids); err != nil {
					b.Fatal(err)
				}
				i++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(i*records.Max), "ns/lookup")
			if table.Len() > c.keys {
				b.Fatalf("%d groups of %d keys", table.Len(), c.keys)
			}
		})
	}
}

// BenchmarkDistinct groups random keys of 16 bytes by two workers and merges their tables:
// most keys are new; or each comes five times, some runs apart.
func BenchmarkDistinct(b *testing.B) {
	for _, c := range []struct {
		name     string
		memBytes int64
		rows     int // a table
		keys     uint64
	}{{"memory", 512 << 20, 5e6, 1 << 40}, {"spill", 64 << 20, 5e6, 1 << 40}, {"again", 200 << 20, 25e6, 1e7}} {
		b.Run(c.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				tables := []*Table{newTable(b, c.memBytes, false), newTable(b, c.memBytes, false)}
				var running sync.WaitGroup
				for i, t := range tables {
					running.Go(func() { feedRandom(b, t, uint64(i), c.rows, c.keys) })
				}
				running.Wait()
				fed := b.Elapsed()
				n = 0
				err := Merge(context.Background(), tables, 2, func(_ []byte, words []uint64, _ ObjectStore) error {
					n += int(words[wordCount])
					return nil
				})
				if err != nil || n != 2*c.rows {
					b.Fatal(n, err)
				}
				b.ReportMetric(float64((b.Elapsed()-fed).Nanoseconds())/float64(2*c.rows), "ns/merged")
				b.ReportMetric(float64(fed.Nanoseconds())/float64(2*c.rows), "ns/lookup")
				for _, t := range tables {
					if err := t.Close(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// feedRandom counts random keys out of so many.
func feedRandom(b *testing.B, t *Table, seed uint64, rows int, distinct uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	const digits = "0123456789abcdef"
	text := make([]byte, 17*records.Max+records.SlackBytes)
	var keys records.Column
	var sel records.Selection
	for i := range records.Max {
		keys = append(keys, records.Span{Off: uint32(17 * i), Len: 16})
		sel = append(sel, uint16(i))
	}
	ids := make([]uint32, records.Max)
	for done := 0; done < rows; {
		n := min(records.Max, rows-done)
		for i := range n {
			x := r.Uint64N(distinct)
			x *= 0x9e3779b97f4a7c15
			for j := range 16 {
				text[17*i+j] = digits[x>>(4*j)&15]
			}
		}
		if err := t.Lookup(text, keys, sel[:n], ids); err != nil {
			b.Error(err)
			return
		}
		words := t.States()
		for _, id := range ids[:n] {
			words[id+wordCount]++
		}
		done += n
	}
}
