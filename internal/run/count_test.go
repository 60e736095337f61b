package run

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// TestCountsDependOnNothing counts in files of many sizes, with types, byte orders,
// conditions, strides, ranges, engines, chunks and workers chosen at random, and compares
// with what plain loops count.
func TestCountsDependOnNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	var files []*countedFile
	for _, n := range []int{0, 1, 3, 7, 8, 63, 64, 65, 100, 511, 1000, 4096, 5003, 20_000, 70_001, 300_000} {
		for _, content := range []func(int, *rand.Rand) []byte{letters, smallNumbers, nastyText} {
			data := content(n, r)
			name := write(t, data)
			files = append(files, &countedFile{name, data, engines(t, name)})
		}
	}
	for i := range casesOf(3_000) {
		file := files[r.IntN(len(files))]
		o := Options{Run: options.Run{Engine: options.Engine(file.engines[r.IntN(len(file.engines))]), Workers: r.IntN(4), ChunkBytes: []int{0, 1 + r.IntN(100), 512,
			4096, 65536}[r.IntN(5)]}}
		if o.ChunkBytes > 0 {
			o.ChunkBytes = max(o.ChunkBytes, len(file.data)/100)
		}
		span := file.data
		if r.IntN(2) == 0 {
			o.Offset = r.Int64N(int64(len(file.data)) + 1)
			length := r.Int64N(int64(len(file.data)) - o.Offset + 1)
			o.Length = &length
			span = file.data[o.Offset : o.Offset+length]
		}
		q := randomCount(t, r)
		want := q.plain(span)
		in := open(t, file.name)
		report, err := Count(context.Background(), in, q.query, o)
		if err != nil {
			t.Fatalf("case %d: %s: %v", i, q.name, err)
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
		if report.Hits != want || !report.Complete {
			t.Fatalf("case %d: %s in %d of %d bytes with %+v: %d, want %d (complete: %v)",
				i, q.name, len(span), len(file.data), o, report.Hits, want, report.Complete)
		}
	}
}

type countedFile struct {
	name    string
	data    []byte
	engines []string
}

// smallNumbers returns bytes most of which make up numbers near 0.
func smallNumbers(n int, r *rand.Rand) []byte {
	b := make([]byte, n)
	for i := range b {
		if r.IntN(4) == 0 {
			b[i] = []byte{1, 10, 0xff, 0x80, 0x7f, byte(r.Uint32())}[r.IntN(6)]
		}
	}
	return b
}

// nastyText returns CSV with quotes in all places.
func nastyText(n int, r *rand.Rand) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = "ab,ab\"\n\r0a"[r.IntN(10)]
	}
	return b
}

// counted is a query with the plain way to count.
type countQuestion struct {
	name  string
	query *Query
	plain func(data []byte) int64
}

func randomCount(t testing.TB, r *rand.Rand) countQuestion {
	switch r.IntN(4) {
	case 0:
		all := questions(t)
		q := all[r.IntN(len(all))]
		return countQuestion{q.name, q.query, func(data []byte) int64 { return int64(len(q.plain(data))) }}
	case 1:
		if r.IntN(2) == 0 {
			return countQuestion{"lines", Lines(), plainLines}
		}
		return countQuestion{"rows", Rows(','), plainRows}
	}
	return randomValues(t, r)
}

func plainLines(data []byte) int64 {
	n := int64(bytes.Count(data, []byte("\n")))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

// plainRows goes from field to field: one that begins with a quote ends behind its last one,
// and all others at the next comma or line feed.
func plainRows(data []byte) (n int64) {
	rest := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for begun := len(data) > len(rest); ; {
		if len(rest) == 0 {
			if begun {
				n++
			}
			return n
		}
		for quoted := rest[0] == '"'; quoted; quoted = len(rest) > 0 && rest[0] == '"' {
			_, behind, closed := bytes.Cut(rest[1:], []byte(`"`))
			if rest = behind; !closed {
				return n + 1
			}
		}
		i := bytes.IndexAny(rest, ",\n")
		if i < 0 {
			return n + 1
		}
		if begun = rest[i] == ','; !begun {
			n++
		}
		rest = rest[i+1:]
	}
}

// randomValues returns a typed question with one or two conditions.
func randomValues(t testing.TB, r *rand.Rand) countQuestion {
	kind, width := "iuf"[r.IntN(3)], 1<<r.IntN(4)
	if kind == 'f' {
		width = 4 << r.IntN(2)
	}
	var order binary.ByteOrder = binary.LittleEndian
	name := fmt.Sprintf("%c%d", kind, 8*width)
	if r.IntN(2) == 0 {
		name, order = name+"be", binary.BigEndian
	}
	stride := int64(0)
	if r.IntN(3) == 0 {
		stride = 1 + r.Int64N(20)
	}
	var conditions []question.Condition
	var fits []func(float64) bool
	for range 1 + r.IntN(2) {
		c, fit := randomCondition(r, kind)
		if len(conditions) > 0 && c.Op == conditions[0].Op {
			continue // which may be an alternative
		}
		conditions, fits = append(conditions, c), append(fits, fit)
	}
	q, err := Values(column(question.ValueType(name), stride, conditions...))
	if err != nil && len(conditions) == 2 {
		return randomValues(t, r) // no value meets both
	}
	if err != nil {
		t.Fatal(err)
	}
	step := int(max(stride, 1))
	if stride == 0 {
		step = width
	}
	return countQuestion{fmt.Sprintf("%s every %d %v", name, step, conditions), q, func(data []byte) (n int64) {
		for i := 0; i+width <= len(data); i += step {
			v := decoded(data[i:i+width], kind, order)
			if !slices.ContainsFunc(fits, func(fit func(float64) bool) bool { return !fit(v) }) {
				n++
			}
		}
		return n
	}}
}

// randomCondition returns a condition on small numbers. For those a float64 tells apart
// all that a 64-bit integer can be.
func randomCondition(r *rand.Rand, kind byte) (question.Condition, func(float64) bool) {
	low := float64(r.IntN(30))
	if kind != 'u' && r.IntN(2) == 0 {
		low = -low
	}
	text := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	op := []question.Op{question.Equal, question.NotEqual, question.Less, question.LessOrEqual, question.Greater,
		question.GreaterOrEqual, question.Between, question.IsNaN}[r.IntN(8)]
	if op == question.IsNaN && kind != 'f' {
		op = question.Equal
	}
	high := low + float64(r.IntN(40))
	c := question.Condition{Op: op, Value: text(low)}
	if op == question.Between {
		c.High = text(high)
	}
	return c, map[question.Op]func(float64) bool{
		question.Equal:          func(v float64) bool { return v == low },
		question.NotEqual:       func(v float64) bool { return v != low },
		question.Less:           func(v float64) bool { return v < low },
		question.LessOrEqual:    func(v float64) bool { return v <= low },
		question.Greater:        func(v float64) bool { return v > low },
		question.GreaterOrEqual: func(v float64) bool { return v >= low },
		question.Between:        func(v float64) bool { return v >= low && v <= high },
		question.IsNaN:          math.IsNaN,
	}[op]
}

func decoded(b []byte, kind byte, order binary.ByteOrder) float64 {
	bits := map[int]func() uint64{
		1: func() uint64 { return uint64(b[0]) },
		2: func() uint64 { return uint64(order.Uint16(b)) },
		4: func() uint64 { return uint64(order.Uint32(b)) },
		8: func() uint64 { return order.Uint64(b) },
	}[len(b)]()
	switch {
	case kind == 'f' && len(b) == 4:
		return float64(math.Float32frombits(uint32(bits)))
	case kind == 'f':
		return math.Float64frombits(bits)
	case kind == 'u':
		return float64(bits)
	}
	shift := 64 - 8*len(b)
	return float64(int64(bits<<shift) >> shift)
}

// TestCountSparse counts 2^40 values, most of them in holes.
func TestCountSparse(t *testing.T) {
	const size = 1 << 40
	name := filepath.Join(t.TempDir(), "sparse")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, off := range []int64{4095, 1 << 30, size - 3} { // values that reach over the edges of holes
		if _, err := f.WriteAt([]byte{1, 2, 3}, off); err != nil {
			t.Fatal(err)
		}
	}
	if in := open(t, name); holes(t, in) < size/2 {
		t.Skip("this file system has no holes")
	}
	q := must(t)
	for _, test := range []struct {
		query *Query
		o     Options
		want  int64
	}{
		{q(Values(column("u8", 0, question.Condition{Op: question.Equal, Value: "0"}))), Options{}, size - 9},
		{q(Values(column("u8", 0, question.Condition{Op: question.NotEqual, Value: "0"}))), Options{}, 9},
		{q(Values(column("u16be", 0, question.Condition{Op: question.GreaterOrEqual, Value: "0"}))), Options{}, size / 2},
		{q(Values(column("i64", 0, question.Condition{Op: question.Equal, Value: "0"}))), Options{}, size/8 - 4},
		{q(Values(column("i32", 7, question.Condition{Op: question.Equal, Value: "0"}))), Options{Offset: 5}, (size-5-4)/7 + 1 - 3},
		{NonZero(), Options{}, 9},
		{Lines(), Options{}, 1},
		{Rows(','), Options{}, 1},
		{q(Text("\x01\x02")), Options{}, 3},
		{q(Text("\x00")), Options{}, size - 9},
		{q(Hex("00 00 00")), Options{}, 4095/3 + (1<<30-4098)/3 + (size-3-(1<<30+3))/3},
	} {
		for _, workers := range []int{1, 3} {
			test.o.Workers = workers
			in := open(t, name)
			report, err := Count(context.Background(), in, test.query, test.o)
			if err != nil {
				t.Fatal(err)
			}
			if report.Hits != test.want {
				t.Errorf("%s, %d workers: %d, want %d", test.query.Kernel(), workers, report.Hits, test.want)
			}
			if err := in.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// holes returns how many bytes of an input are skipped, and closes it.
func holes(t testing.TB, in *Input) int64 {
	t.Helper()
	length := min(in.file.Bytes, 1<<20)
	report, err := Count(context.Background(), in, NonZero(), Options{Offset: in.file.Bytes / 2, Length: &length})
	if err := errors.Join(err, in.Close()); err != nil {
		t.Fatal(err)
	}
	return report.Skipped * in.file.Bytes / length
}

// column returns the values of a type, every stride bytes, that meet conditions.
func column(typ question.ValueType, stride int64, conditions ...question.Condition) question.Values {
	return question.Values{Type: typ, Stride: stride, Conditions: conditions}
}
