package compare

import (
	"fmt"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/question"
)

// Conditions that fit 42 and not 0. Each makes the kernel do a different kind of work.
var benchmarks = []struct {
	name, typ string
	conds     []question.Condition
}{
	{"u8==", "u8", []question.Condition{{Op: question.Equal, Value: "42"}}},
	{"i16>", "i16", []question.Condition{{Op: question.Greater, Value: "10"}}},
	{"i32!=", "i32", []question.Condition{{Op: question.NotEqual, Value: "0"}}},
	{"i32be>", "i32be", []question.Condition{{Op: question.Greater, Value: "10"}}},
	{"i64>", "i64", []question.Condition{{Op: question.Greater, Value: "10"}}},
	{"i64be>", "i64be", []question.Condition{{Op: question.Greater, Value: "10"}}},
	{"f32>", "f32", []question.Condition{{Op: question.Greater, Value: "10"}}},
	{"f64>", "f64", []question.Condition{{Op: question.Greater, Value: "10"}}},
	{"f64be!=", "f64be", []question.Condition{{Op: question.NotEqual, Value: "0"}}},
}

func BenchmarkIndex(b *testing.B) {
	for _, v := range variants {
		for _, c := range benchmarks {
			for _, size := range []int{64, 4 << 10, 256 << 10, 64 << 20} {
				b.Run(fmt.Sprintf("isa=%v/of=%s/size=%d", v.ISA, c.name, size), func(b *testing.B) {
					search(b, v, c.typ, c.conds, size, mustType(b, c.typ).width)
				})
			}
		}
	}
}

func BenchmarkIndexStride(b *testing.B) {
	for _, v := range variants {
		for _, typ := range []string{"u8", "i32", "f64"} {
			for _, stride := range []int{1, 2, 4, 8, 12, 16, 32, 64, 100} {
				b.Run(fmt.Sprintf("isa=%v/of=%s/stride=%d", v.ISA, typ, stride), func(b *testing.B) {
					search(b, v, typ, []question.Condition{{Op: question.Greater, Value: "10"}}, 256<<10, stride)
				})
			}
		}
	}
}

// BenchmarkFalseCandidates is the worst case of conditions that are not an arc: every value is a
// candidate and only the last one fits.
func BenchmarkFalseCandidates(b *testing.B) {
	conds := []question.Condition{{Op: question.GreaterOrEqual, Value: "0"}, {Op: question.NotEqual, Value: "0"},
		{Op: question.NotEqual, Value: "5"}, {Op: question.NotEqual, Value: "7"}}
	for _, v := range variants {
		b.Run("isa="+v.ISA.String(), func(b *testing.B) {
			search(b, v, "i32", conds, 256<<10, 4)
		})
	}
}

// search looks for 42 in a column of zeros; it is the last value.
func search(b *testing.B, v kernel.Variant[searcher], typ string, conds []question.Condition,
	size, stride int) {
	b.Helper()
	if !cpu.Has(v.ISA) {
		b.Skipf("%v cannot run here", v.ISA)
	}
	t := mustType(b, typ)
	answer, err := t.parse("42")
	if err != nil {
		b.Fatal(err)
	}
	p, err := compile(t, conds, v)
	if err != nil {
		b.Fatal(err)
	}
	data := kerneltest.HugePages(b, size)
	last := (size - t.width) / stride * stride
	t.put(data[last:], answer.low^t.bias()) // the key of a positive value is its bits
	// If values overlap, the bytes of the last one may make an earlier one fit.
	want := max(0, last-t.width)
	if i := indexPlain(data[want/stride*stride:], &p.arc, stride); i >= 0 {
		want = want/stride*stride + i
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		if got := p.IndexStride(data, stride); got != want {
			b.Fatalf("got %d, want %d", got, want)
		}
	}
}
