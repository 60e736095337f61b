package rows

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// texts are kinds of CSV, each with as many quotes as its name says.
var texts = []struct{ name, record string }{
	{"none", "1714,42.5,Amsterdam,open,2024-05-01\n"},
	{"one-field", "1714,42.5,\"Amsterdam, North\",open,2024-05-01\n"},
	{"all-fields", "\"1714\",\"42.5\",\"Amsterdam\",\"open\",\"a \"\"b\"\"\nc\"\n"},
	{"stray", "1714,42.5,5\" pipe,open,2024-05-01\n"},
	{"long", "1714,42.5,\"" + "Amsterdam is a city. It has many canals and bicycles.\n" +
		"Amsterdam is a city. It has many canals and bicycles. Amsterdam is a city, and so on, and so on.\",1\n"},
}

func BenchmarkSummarize(b *testing.B) {
	for _, v := range variants {
		if !cpu.Has(v.ISA) {
			continue
		}
		for _, text := range texts {
			for _, size := range []int{4 << 10, 256 << 10, 64 << 20} {
				b.Run(fmt.Sprintf("isa=%v/quotes=%s/size=%d", v.ISA, text.name, size), func(b *testing.B) {
					data := kerneltest.HugePages(b, size)
					fill(data, text.record)
					k := Kernel{v}
					want := Kernel{kernel.Variant[Func]{Func: walkPlain}}.Summarize(data, csv)
					b.SetBytes(int64(size))
					for b.Loop() {
						if got := k.Summarize(data, csv); got != want {
							b.Fatalf("got %+v, want %+v", got, want)
						}
					}
				})
			}
		}
	}
}

func fill(data []byte, record string) {
	copy(data, bytes.Repeat([]byte(record), len(data)/len(record)+1))
}
