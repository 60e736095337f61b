package sketch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// BenchmarkQuantilesMerged adds prices to sketches and merges them. It checks that the quantiles do not
// depend on the number of sketches, and reports the largest relative error and the memory.
func BenchmarkQuantilesMerged(b *testing.B) {
	const n = 1 << 18
	r := rand.New(rand.NewPCG(1, 2))
	prices := make([]float64, n)
	for i := range prices {
		prices[i] = math.Round(100*math.Exp(2*r.NormFloat64()+3)) / 100
	}
	sorted := slices.Sorted(slices.Values(prices))
	var first []float64
	for _, parts := range []int{1, 2, 8} {
		b.Run(fmt.Sprintf("sketches=%d", parts), func(b *testing.B) {
			var all []Quantiles
			for b.Loop() {
				all = make([]Quantiles, parts)
				for i, v := range prices {
					all[i/4096%parts].Add(v)
				}
				for i := range all[1:] {
					all[0].Merge(&all[1+i])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/value")
			b.ReportMetric(float64(all[0].Bytes()), "bytes")
			worst, answers := 0.0, []float64(nil)
			for _, q := range []float64{0.001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999} {
				rank := int64(math.Ceil(q * n))
				v, _ := all[0].Quantile(rank)
				answers = append(answers, v)
				worst = max(worst, math.Abs(v-sorted[rank-1])/sorted[rank-1])
			}
			b.ReportMetric(100*worst, "%error")
			if first == nil {
				first = answers
			}
			if worst > QuantileError || !slices.Equal(answers, first) {
				b.Fatalf("%v, with one sketch %v; error %.4f", answers, first, worst)
			}
		})
	}
}

// BenchmarkDistinctMerged adds texts to sketches and merges them, in the same way.
func BenchmarkDistinctMerged(b *testing.B) {
	const n = 1 << 18
	texts := make([][]byte, n)
	for i := range texts {
		texts[i] = fmt.Appendf(nil, "customer-%d", i)
	}
	first := int64(0)
	for _, parts := range []int{1, 2, 8} {
		b.Run(fmt.Sprintf("sketches=%d", parts), func(b *testing.B) {
			var all []Distinct
			for b.Loop() {
				all = make([]Distinct, parts)
				for i, t := range texts {
					all[i/4096%parts].Add(t)
				}
				for i := range all[1:] {
					all[0].Merge(&all[1+i])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/text")
			b.ReportMetric(float64(all[0].Bytes()), "bytes")
			got, _ := all[0].Count()
			b.ReportMetric(100*math.Abs(float64(got-n))/n, "%error")
			if first == 0 {
				first = got
			}
			if got != first || math.Abs(float64(got-n)) > DistinctError*n {
				b.Fatalf("%d of %d texts, with one sketch %d", got, n, first)
			}
		})
	}
}
