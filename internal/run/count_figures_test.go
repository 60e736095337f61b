package run

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/histogram"
	"github.com/thresh-dev/thresh/internal/kernel/stats"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// TestFiguresDependOnNothing makes statistics and histograms of random columns, with
// engines, chunks and workers chosen at random. What is right are the figures of the
// values that fit when they are gathered one by one and added in one go.
func TestFiguresDependOnNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	var files []*countedFile
	for _, n := range []int{0, 1, 7, 8, 100, 4096, 20_000, 300_000} {
		for _, content := range []func(int, *rand.Rand) []byte{letters, smallNumbers} {
			data := content(n, r)
			name := write(t, data)
			files = append(files, &countedFile{name, data, engines(t, name)})
		}
	}
	for i := range rounds.Of(500) {
		file := files[r.IntN(len(files))]
		o := Options{Run: options.Run{Engine: options.Engine(file.engines[r.IntN(len(file.engines))]), Workers: r.IntN(4)}}
		if r.IntN(2) == 0 {
			o.ChunkBytes = max(1+r.IntN(5000), len(file.data)/100)
		}
		c := randomColumn(t, r)
		fit := c.gather(file.data)
		want, got := figuresOf(t, c, fit), Report{}
		for _, q := range []*Query{c.statistics(t), c.histogram(t)} {
			in := open(t, file.name)
			report, err := Count(context.Background(), in, q, o)
			if err := errors.Join(err, in.Close()); err != nil {
				t.Fatalf("case %d: %v", i, err)
			}
			got.Hits = report.Hits
			if report.Stats != nil {
				got.Stats = report.Stats
			} else {
				got.Histogram = report.Histogram
			}
			if report.Hits != want.Hits {
				t.Fatalf("case %d: %+v with %+v: %d values, want %d", i, c, o, report.Hits, want.Hits)
			}
		}
		if !reflect.DeepEqual(got.Stats, want.Stats) {
			t.Fatalf("case %d: %+v with %+v: %+v, want %+v", i, c, o, got.Stats, want.Stats)
		}
		if !reflect.DeepEqual(got.Histogram, want.Histogram) {
			t.Fatalf("case %d: %+v with %+v: %+v, want %+v", i, c, o, got.Histogram, want.Histogram)
		}
	}
}

// randomly chosen columns.
type randomly struct {
	typ        string
	stride     int64
	conditions []question.Condition
	division   question.Bins
}

func randomColumn(t testing.TB, r *rand.Rand) (c randomly) {
	t.Helper()
	names := []string{"i8", "u8", "i16", "u16be", "i32", "u32be", "i64be", "u64", "f32", "f32be", "f64"}
	c.typ = names[r.IntN(len(names))]
	if r.IntN(3) == 0 {
		c.stride = 1 + r.Int64N(20)
	}
	if r.IntN(2) == 0 {
		condition, _ := randomCondition(r, c.typ[0])
		c.conditions = []question.Condition{condition}
	}
	c.division = question.Bins{Number: 1 + r.IntN(50), Low: "0", High: "100"}
	return c
}

func (c *randomly) statistics(t testing.TB) *Query {
	return must(t)(Statistics(column(question.ValueType(c.typ), c.stride, c.conditions...)))
}

func (c *randomly) histogram(t testing.TB) *Query {
	return must(t)(Histogram(column(question.ValueType(c.typ), c.stride, c.conditions...), c.division))
}

// gather returns the values that fit, back to back.
func (c *randomly) gather(data []byte) (fit []byte) {
	typ, err := compare.ParseType(c.typ)
	if err != nil {
		panic(err)
	}
	var p *compare.Predicate
	if len(c.conditions) > 0 {
		if p, err = compare.Compile(typ, c.conditions); err != nil {
			panic(err)
		}
	}
	step := int(c.stride)
	if step == 0 {
		step = typ.Width()
	}
	for i := 0; i+typ.Width() <= len(data); i += step {
		if p == nil || p.Fits(data[i:]) {
			fit = append(fit, data[i:i+typ.Width()]...)
		}
	}
	return fit
}

func figuresOf(t testing.TB, c randomly, fit []byte) Report {
	t.Helper()
	typ, err := compare.ParseType(c.typ)
	if err != nil {
		t.Fatal(err)
	}
	s := stats.New(typ)
	stats.For(typ).Add(s, fit, typ.Width())
	h, err := histogram.Compile(histogram.Spec{Type: typ,
		Bins: c.division.Number, Low: c.division.Low, High: c.division.High})
	if err != nil {
		t.Fatal(err)
	}
	counter := h.Counter()
	if err := counter.Add(0, fit, typ.Width()); err != nil {
		t.Fatal(err)
	}
	binned, err := counter.Result()
	if err != nil {
		t.Fatal(err)
	}
	figures := answer.Stats{N: int64(s.N()), NaN: int64(s.NaN()), Inf: int64(s.Inf())}
	if figures.N > figures.NaN {
		figures.Min, figures.Max, figures.Sum, figures.Mean = s.MinText(), s.MaxText(), s.SumText(), s.MeanText()
	}
	return Report{Report: answer.Report{Hits: figures.N, Histogram: &binned, Stats: &figures}}
}

// TestTotals: the figures of many files are those of all their values.
func TestTotals(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	var names []string
	var all []byte
	for range 30 {
		data := smallNumbers(8*r.IntN(100_000), r)
		names, all = append(names, write(t, data)), append(all, data...)
	}
	c := randomly{typ: "i64", division: question.Bins{Number: 7, Low: "-1000", High: "1000"}}
	want := figuresOf(t, c, all)
	for _, q := range []*Query{c.statistics(t), c.histogram(t)} {
		var sum int64
		total, err := CountAll(context.Background(), source.Expand(names, false), q, Options{}, Callbacks{
			Done: func(_ string, r Report, err error) error {
				sum += r.Hits
				return err
			}})
		if err != nil {
			t.Fatal(err)
		}
		if total.Hits != want.Hits || sum != want.Hits || !total.Complete || total.Bytes != int64(len(all)) {
			t.Errorf("%d values in all and %d in parts, want %d; %d bytes", total.Hits, sum, want.Hits, total.Bytes)
		}
		if total.Stats != nil && *total.Stats != *want.Stats {
			t.Errorf("%+v, want %+v", total.Stats, want.Stats)
		}
		if total.Histogram != nil && !reflect.DeepEqual(total.Histogram, want.Histogram) {
			t.Errorf("%+v, want %+v", total.Histogram, want.Histogram)
		}
	}
}
