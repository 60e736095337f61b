package matrix

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// TestLargeFiles runs every kind of query on a file of several megabytes, with each engine. Half of
// the file is in the page cache and a part is a hole. It is scanned whole and in ranges that end near
// the boundaries of regions.
func TestLargeFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("files of many megabytes")
	}
	const size = 9<<20 + 77
	usable := engines(t)
	r := rand.New(rand.NewPCG(8, 1))
	names := sorted(selectors)
	for round := range len(names) {
		round += r.IntN(2) * len(names) // find or count
		q, err := selectors[names[round%len(names)]](r)
		if err != nil {
			t.Fatal(err)
		}
		if q.refused != nil {
			continue // a histogram would need too many bins here
		}
		s := square{asked: q, find: q.places != nil && round%2 == 0, kind: pick(r, "file", "sparse", "pipe", "gzip", "zstd")}
		s.shape = pick(r, "short lines", "one line", "quotes", "zeros", "at borders")
		s.data = shapes[s.shape](r, q.parts, size/8, pick(r, 4096, 1<<20))
		s.data = slices.Repeat(s.data, size/max(len(s.data), 1)+1)[:size]
		clear(s.data[3<<20+5 : 6<<20-9]) // a hole, where the file has them
		border := pick[int64](r, 0, 2<<20, 3<<20, 3<<20+4096, 6<<20-4096, 6<<20)
		length := pick[int64](r, size-border, 1<<20, 1<<20+1, 4096) - 1
		if chance(r, 2) {
			s.options.Offset, s.options.Length = border, &length
		}
		if err := s.byEachEngine(t, r, usable); err != nil {
			t.Errorf("%v\n%v", &s, err)
		}
	}
}

// byEachEngine runs the query on one file with every engine that can read it, each time with a part
// of the file not in the page cache; on a stream it runs once.
func (s *square) byEachEngine(t *testing.T, r *rand.Rand, usable map[options.Engine]bool) error {
	k := kinds[s.kind]
	if k.stream {
		return s.run(t)
	}
	name := k.name(t, r, s.data)
	defer os.Remove(name)
	for _, engine := range engineNames {
		if s.options.Engine, s.options.Workers = engine, pick(r, 0, 1, 3); !usable[engine] {
			continue
		}
		if err := evict(name, 1<<20, 3<<20); err != nil {
			return err
		}
		in, err := thresh.Open(name)
		if err != nil {
			return err
		}
		hits, report, failed := s.ask(in)
		if err := errors.Join(in.Close(), s.judge(hits, &report, failed, false)); err != nil {
			return err
		}
	}
	return nil
}

// TestGroupsOfRealSizes makes as many groups, and groups with as many values, as each threshold, one
// less and one more. It asks for quantiles, which depend on all values.
func TestGroupsOfRealSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("many tables of 65,536 records")
	}
	lengths := []int{1 << 16}
	for _, s := range threshold.All() {
		if s.Real() > 64 && s.Real() <= 1<<17 && !slices.Contains(lengths, s.Real()) {
			lengths = append(lengths, s.Real())
		}
	}
	r := rand.New(rand.NewPCG(8, 2))
	for _, n := range lengths {
		for _, records := range []int{n - 1, n, n + 1} {
			for _, groups := range []int{1, records} {
				if err := oneTable(t, r, records, groups); err != nil {
					t.Errorf("%d records in %d groups: %v", records, groups, err)
				}
			}
		}
	}
}

// oneTable asks for figures of groups of small numbers, most of them equal.
func oneTable(t *testing.T, r *rand.Rand, records, groups int) error {
	numbers := make([][]*big.Rat, groups)
	var data []byte
	for i := range records {
		n := int64(9)
		if chance(r, 3) {
			n = r.Int64N(300)
		}
		g := i % groups
		numbers[g] = append(numbers[g], big.NewRat(n, 1))
		data = fmt.Appendf(data, "%07d,%d\n", g, n)
	}
	name := write(t, "table", data)
	defer os.Remove(name)
	var got sheetOutput
	list := func(yield func(string, error) bool) { yield(name, nil) }
	spec := thresh.TableSpec{Dialect: options.Dialect{Delim: ','}, Questions: []thresh.Question{
		thresh.Groups{Keys: "1", Aggregates: "count,min(2),p50(2),p99(2),max(2),distinct(2)"}}}
	_, err := thresh.TableAll(context.Background(), list, spec, options.Scan{Run: options.Run{Workers: 1 + r.IntN(3)}},
		thresh.Callbacks{Done: func(_ string, _ answer.Report, err error) error { return err }}, &got)
	if err != nil {
		return err
	}
	var want [][]cell
	for g, of := range numbers {
		slices.SortFunc(of, (*big.Rat).Cmp)
		n := len(of)
		distinct := len(slices.CompactFunc(slices.Clone(of), func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }))
		want = append(want, []cell{{text: fmt.Sprintf("%07d", g)}, whole(n), {number: of[0]}, {number: of[(n+1)/2-1]},
			{number: of[(n*99+99)/100-1]}, {number: of[n-1]}, whole(distinct)})
	}
	return got.same(0, want)
}
