package gguf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/tensor"
)

// builder writes headers.
type builder struct {
	order binary.AppendByteOrder
	b     []byte
}

func begin(order binary.AppendByteOrder, version uint32, tensors, entries uint64) *builder {
	return (&builder{order, []byte(Magic)}).u32(version).u64(tensors).u64(entries)
}

func (w *builder) u32(n uint32) *builder  { w.b = w.order.AppendUint32(w.b, n); return w }
func (w *builder) u64(n uint64) *builder  { w.b = w.order.AppendUint64(w.b, n); return w }
func (w *builder) raw(n int) *builder     { w.b = append(w.b, make([]byte, n)...); return w }
func (w *builder) text(s string) *builder { w.u64(uint64(len(s))); w.b = append(w.b, s...); return w }

func (w *builder) tensor(name string, typ uint32, offset uint64, shape ...uint64) *builder {
	w.text(name).u32(uint32(len(shape)))
	for _, n := range shape {
		w.u64(n)
	}
	return w.u32(typ).u64(offset)
}

// data pads the header and appends values.
func (w *builder) data(n int) []byte { return w.raw((32-len(w.b)%32)%32 + n).b }

func describe(f *tensor.File, err error) string {
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, t := range f.Tensors {
		fmt.Fprintf(&b, "%s %s %s %v %d;", t.Name, t.Type, t.Stored, t.Shape, t.Length)
	}
	return b.String()
}

func TestHeaders(t *testing.T) {
	little := binary.AppendByteOrder(binary.LittleEndian)
	one := func() *builder { return begin(little, 3, 1, 0) }
	two := func() *builder { return begin(little, 3, 2, 0).tensor("a", 0, 0, 2, 3) }
	entry := func() *builder { return begin(little, 3, 0, 1).text("key") }
	for want, b := range map[string][]byte{
		"a f32 F32 [3 2] 24;b f16 F16 [4] 8;":           two().tensor("b", 1, 32, 4).data(40),
		"a f32be F32 [3 2] 24;b i8 I8 [] 1;":            begin(binary.BigEndian, 3, 2, 0).tensor("a", 0, 0, 2, 3).tensor("b", 24, 32).data(33),
		"q  Q4_K [256] -1;":                             begin(little, 2, 1, 0).tensor("q", 12, 0, 256).data(144),
		"q  type 999 [2] -1;":                           one().tensor("q", 999, 0, 2).data(1),
		"":                                              begin(little, 3, 0, 1).text("general.alignment").u32(4).u32(64).b,
		"version 1 is not known":                        begin(little, 1, 0, 0).b,
		"version 4 is not known":                        begin(binary.BigEndian, 4, 0, 0).b,
		"version 0 is not known":                        begin(little, 0, 0, 0).b,
		"has at most 1":                                 begin(little, 3, math.MaxUint64, 0).b,
		"8 bytes are missing":                           begin(little, 3, 0, math.MaxUint64).b,
		"a name of 4097 bytes":                          one().text(strings.Repeat("n", 4097)).data(99),
		"18446744073709551615 bytes; at most":           one().u64(math.MaxUint64).data(99),
		"9 dimensions; at most 8":                       one().tensor("a", 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1).data(99),
		"[4294967296 4294967296] has more":              one().tensor("a", 0, 0, 1<<32, 1<<32).data(99),
		"[-1] has more":                                 one().tensor("a", 0, 0, math.MaxUint64).data(99),
		"[100] of F32 from 64 on, and":                  one().tensor("a", 0, 0, 100).data(399),
		"no multiple of the alignment, 32":              one().tensor("a", 0, 16, 1).data(99),
		"begins 96 bytes behind the header":             one().tensor("a", 0, 96, 0).data(95),
		`tensor "b" begins in the middle of tensor "a"`: begin(little, 3, 2, 0).tensor("a", 0, 0, 9).tensor("b", 0, 32, 1).data(99),
		`tensor "r" begins in the middle of tensor "q"`: begin(little, 3, 2, 0).tensor("q", 12, 0, 256).tensor("r", 12, 0, 256).data(144),
		`tensor "a" comes twice`:                        two().tensor("a", 0, 32, 1).data(99),
		"metadata of type 13":                           entry().u32(13).raw(99).b,
		"more than 4 deep":                              entry().u32(9).u32(9).u64(1).u32(9).u64(1).u32(9).u64(1).u32(9).u64(1).u32(9).u64(1).raw(99).b,
		"an array of 9223372036854775807 values":        entry().u32(9).u32(12).u64(math.MaxInt64).b,
		"9999 bytes are missing":                        entry().u32(8).u64(9999).b,
		"9998 bytes are missing":                        entry().u32(9).u32(0).u64(9998).b,
		"the alignment is 12":                           begin(little, 3, 0, 1).text("general.alignment").u32(4).u32(12).b,
		"the alignment is 0":                            begin(little, 3, 0, 1).text("general.alignment").u32(4).u32(0).b,
		"the alignment is 32, and must":                 begin(little, 3, 0, 1).text("general.alignment").u32(5).u32(32).b,
		"general.alignment comes twice": begin(little, 3, 0, 2).text("general.alignment").u32(4).u32(32).text("general.alignment").
			u32(4).u32(32).b,
		"no GGUF file": []byte("GGUG and more"),
	} {
		got := describe(Read(bytes.NewReader(b), int64(len(b))))
		if want == "" && got != want || !strings.Contains(got, want) || strings.HasSuffix(want, ";") && got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A header that is longer than the piece that is read at once, with strings across its border.
func TestLongHeader(t *testing.T) {
	for extra := range 40 {
		w := begin(binary.LittleEndian, 3, 1, 2).text("tokens").u32(9).u32(8).u64(6000)
		for i := range 6000 {
			w.text(strings.Repeat("t", i%9))
		}
		b := w.text("pad").u32(8).text(strings.Repeat("p", extra)).tensor("a", 30, 0, 5).data(10)
		if len(b) < pieceBytes {
			t.Fatalf("only %d bytes", len(b))
		}
		if got := describe(Read(bytes.NewReader(b), int64(len(b)))); got != "a bf16 BF16 [5] 10;" {
			t.Fatalf("%d more bytes: %s", extra, got)
		}
	}
}

// FuzzRead accepts any bytes: the answer is an error of a header, or tensors that lie in the file and
// do not overlap.
func FuzzRead(f *testing.F) {
	b, err := os.ReadFile("../testdata/small.gguf")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(begin(binary.BigEndian, 3, 1, 1).text("k").u32(9).u32(8).u64(2).text("a").text("b").tensor("t", 1, 0, 4).data(8))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if wrong := (*tensor.Error)(nil); !errors.As(err, &wrong) || wrong.Off < 0 || wrong.Off > int64(len(b)) {
				t.Fatalf("%v", err)
			}
			return
		}
		at := int64(0)
		for _, one := range got.Tensors {
			if one.Offset < at || one.Offset+max(one.Length, 0) > int64(len(b)) {
				t.Fatalf("%+v, behind %d, in %d bytes", one, at, len(b))
			}
			at = one.Offset + max(one.Length, 0)
		}
	})
}
