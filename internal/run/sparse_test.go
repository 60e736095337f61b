package run

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// holeBytes is what the holes of sparseFiles are made of: larger than any file system's block.
const holeBytes = 64 << 10

// sparseFiles returns two files of the same bytes: one with holes where it has long zeros, and
// one without. Data begins and ends with zeros here and there, and holes lie at either end.
func sparseFiles(t *testing.T, r *rand.Rand) (sparse, dense string, data []byte) {
	t.Helper()
	folder := t.TempDir()
	sparse, dense = filepath.Join(folder, "sparse"), filepath.Join(folder, "dense")
	f, err := os.Create(sparse)
	if err != nil {
		t.Fatal(err)
	}
	parts := 2 + r.IntN(8)
	data = make([]byte, parts*holeBytes+r.IntN(2)*r.IntN(holeBytes))
	for part := range parts {
		if r.IntN(2) == 0 {
			continue
		}
		from := part*holeBytes + r.IntN(2)*r.IntN(20)
		n := holeBytes - 20 - r.IntN(2)*r.IntN(20)
		copy(data[from:], letters(n, r))
		if _, err := f.WriteAt(data[from:from+n], int64(from)); err != nil {
			t.Fatal(err)
		}
	}
	err = errors.Join(f.Truncate(int64(len(data))), f.Close(), os.WriteFile(dense, data, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return sparse, dense, data
}

// TestSparseAndDense asks all questions of files with holes and of the same bytes without.
// The answers are the same, and holes are skipped whenever zeros do not change the answer:
// when finding, where zeros hold nothing; when counting, where arithmetic says how much.
func TestSparseAndDense(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	rounds := 6
	if testing.Short() {
		rounds = 3
	}
	for range rounds {
		sparse, dense, data := sparseFiles(t, r)
		in := open(t, sparse)
		_, report := search(t, in, NonZero(), Options{})
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
		if report.Skipped == 0 {
			continue // no holes here
		}
		for _, q := range questions(t) {
			o := Options{Run: options.Run{Workers: r.IntN(4), ChunkBytes: []int{0, 4096, 65536}[r.IntN(3)]}}
			span := data
			if r.IntN(3) == 0 {
				o.Offset = r.Int64N(int64(len(data)))
				span = data[o.Offset:]
			}
			want := q.plain(span)
			for i := range want {
				want[i].Off += o.Offset
			}
			for _, name := range []string{sparse, dense} {
				in := open(t, name)
				got, report := search(t, in, q.query, o)
				if !slices.Equal(got, want) {
					t.Fatalf("%s in %s with %+v: %d hits, want %d", q.name, filepath.Base(name), o, len(got), len(want))
				}
				counted, err := Count(context.Background(), in, q.query, o)
				if err := errors.Join(err, in.Close()); err != nil {
					t.Fatal(err)
				}
				if counted.Hits != int64(len(want)) {
					t.Fatalf("%s in %s with %+v: counted %d, want %d", q.name, filepath.Base(name), o, counted.Hits, len(want))
				}
				for _, report := range []Report{report, counted} {
					if report.Bytes+report.Skipped != int64(len(span)) || !report.Complete {
						t.Fatalf("%s in %s with %+v: %d bytes read, %d skipped, of %d", q.name, filepath.Base(name), o,
							report.Bytes, report.Skipped, len(span))
					}
				}
				if name == sparse && o.Offset == 0 {
					checkSkips(t, q, data, report, counted)
				}
			}
		}
	}
}

// TestFiguresOfSparseAndDense counts what can only be counted in files with holes and in the
// same bytes without.
func TestFiguresOfSparseAndDense(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	q := must(t)
	less := question.Condition{Op: question.LessOrEqual, Value: "90"}
	queries := map[string]*Query{
		"lines": Lines(), "rows": Rows(','),
		"statistics":          q(Statistics(column("i16be", 0))),
		"statistics of some":  q(Statistics(column("f32", 7, less))),
		"histogram":           q(Histogram(column("u8", 0), question.Bins{})),
		"histogram of some":   q(Histogram(column("i32", 3, less), question.Bins{Width: "100000000"})),
		"histogram of floats": q(Histogram(column("f32", 0), question.Bins{Number: 3, Low: "-1", High: "2"})),
	}
	for range 8 {
		sparse, dense, data := sparseFiles(t, r)
		for name, query := range queries {
			o := Options{Run: options.Run{Workers: r.IntN(4), ChunkBytes: []int{0, 4096, 65536}[r.IntN(3)]}, Offset: r.Int64N(2) * r.Int64N(int64(len(data)))}
			var reports [2]Report
			for i, file := range []string{sparse, dense} {
				in := open(t, file)
				var err error
				reports[i], err = Count(context.Background(), in, query, o)
				if err := errors.Join(err, in.Close()); err != nil {
					t.Fatal(err)
				}
			}
			one, other := reports[0], reports[1]
			if one.Hits != other.Hits || !reflect.DeepEqual(one.Stats, other.Stats) || !reflect.DeepEqual(one.Histogram, other.Histogram) {
				t.Errorf("%s with %+v: with holes %d %+v %+v, without %d %+v %+v", name, o,
					one.Hits, one.Stats, one.Histogram, other.Hits, other.Stats, other.Histogram)
			}
			if one.Bytes+one.Skipped != other.Bytes || one.Trailing != other.Trailing {
				t.Errorf("%s with %+v: %d bytes read and %d skipped, of %d", name, o, one.Bytes, one.Skipped, other.Bytes)
			}
		}
	}
}

// checkSkips holds the skipped bytes to what zeros can change.
func checkSkips(t *testing.T, q asked, data []byte, found, counted Report) {
	t.Helper()
	zeros := int64(0) // whole parts of the file that hold nothing else
	for from := 0; from+holeBytes <= len(data); from += holeBytes {
		part := data[from : from+holeBytes]
		if !slices.ContainsFunc(part, func(b byte) bool { return b != 0 }) {
			zeros += holeBytes
		}
	}
	// Of each hole the last bytes are looked at, with which something may begin.
	const border = 16 << 10
	least := zeros - zeros/holeBytes*border
	fits := len(q.plain(make([]byte, holeBytes))) > 0
	switch {
	case fits && found.Skipped > 0:
		t.Errorf("%s: %d bytes skipped, which hold what is looked for", q.name, found.Skipped)
	case !fits && found.Skipped < least && !q.lines():
		t.Errorf("%s: finding skipped %d bytes of %d in holes", q.name, found.Skipped, zeros)
	case counted.Skipped < least && !q.lines() && !(fits && q.alternatives()):
		t.Errorf("%s: counting skipped %d bytes of %d in holes", q.name, counted.Skipped, zeros)
	}
}
