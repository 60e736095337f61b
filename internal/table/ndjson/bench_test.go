package ndjson

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// texts are lines of several kinds, and what is asked of them.
var texts = []struct {
	name string
	line func(r *rand.Rand) string
	ask  []string
}{
	{"log", func(r *rand.Rand) string {
		return fmt.Sprintf(`{"ts":"2026-11-20T08:47:22Z","level":"error","ms":%.2f,"user":{"id":%d,"country":"JP","name":"%s"},`+
			`"path":"/api/v1/items/%d","status":200,"tags":["a","b"]}`, r.Float64()*500, r.IntN(1e6), word8(r), r.IntN(1e4))
	}, []string{"user.country", "ms"}},
	{"flat", func(r *rand.Rand) string { return fmt.Sprintf(`{"id":%d,"k":"%s"}`, r.IntN(1e4), word8(r)) }, []string{"k", "id"}},
	{"nested", func(r *rand.Rand) string {
		inner := fmt.Sprintf(`{"v":%d,"s":"%s"}`, r.IntN(100), word8(r))
		for i := range 12 {
			inner = fmt.Sprintf(`{"n":%v,"list":[{"in":%s,"n":%d},%d]}`, i%2 == 0, inner, r.IntN(1000), i)
		}
		return fmt.Sprintf(`{"id":%d,"a":%s}`, r.IntN(50), inner)
	}, []string{"id", "a.n"}},
	{"numbers", func(r *rand.Rand) string {
		var numbers []string
		for range 60 {
			numbers = append(numbers, fmt.Sprintf("%.*f", r.IntN(5), r.NormFloat64()*100))
		}
		return `{"k":"` + word8(r) + `","xs":[` + strings.Join(numbers, ",") + "]}"
	}, []string{"k"}},
}

// word8 returns up to eight letters.
func word8(r *rand.Rand) string { return "abcdefgh"[:1+r.IntN(8)] }

// BenchmarkLines finds a few values in lines, by each way.
func BenchmarkLines(b *testing.B) {
	for _, kind := range texts {
		r := rand.New(rand.NewPCG(11, 12))
		var text []byte
		var ends []int
		for len(text) < 30<<10 {
			text = append(append(text, kind.line(r)...), '\n')
			ends = append(ends, len(text)-1)
		}
		for _, f := range forms() {
			b.Run(kind.name+"/impl="+strings.ReplaceAll(f.name, ", ", "-"), func(b *testing.B) {
				l := f.locator(b, kind.ask)
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					l.Begin(text)
					from := 0
					for _, to := range ends {
						if _, reason := l.Line(from, to); reason != "" {
							b.Fatal(reason)
						}
						from = to + 1
					}
				}
			})
		}
	}
}
