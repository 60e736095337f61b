package literals

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// logText returns lines like those of servers, and the words that make them up.
func logText(r *rand.Rand, size int) (b []byte) {
	words := []string{"served", "GET", "/static/app.js", "request", "connection", "closed", "timeout", "billing"}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for len(b) < size {
		at = at.Add(time.Duration(r.IntN(900)) * time.Millisecond)
		b = at.AppendFormat(b, time.RFC3339)
		b = fmt.Appendf(b, " INFO  req=%08x user=%09d %s %s in %d ms\n", r.Uint32(), r.IntN(1e9),
			words[r.IntN(len(words))], words[r.IntN(len(words))], r.IntN(1000))
	}
	return b[:size]
}

// identifiers returns n texts of a kind, none of which is likely to be in a log.
func identifiers(r *rand.Rand, kind string, n int) (list []Literal) {
	at := time.Date(2031, 1, 2, 3, 4, 5, 0, time.UTC)
	for range n {
		at = at.Add(time.Duration(r.IntN(900)) * time.Second)
		var text string
		switch kind {
		case "requests":
			text = fmt.Sprintf("req=%08x", r.Uint32())
		case "users":
			text = fmt.Sprintf("%09d", r.IntN(1e9))
		case "times":
			text = at.Format(time.RFC3339)
		case "words":
			b := make([]byte, 5+r.IntN(8))
			for i := range b {
				b[i] = "eeeetttaaaooiinnsshrdlcumwfgypbvkjxqz"[r.IntN(37)]
			}
			text = string(b)
		}
		list = append(list, Literal{Value: []byte(text)})
	}
	return list
}

func BenchmarkAll(b *testing.B) {
	text := logText(rand.New(rand.NewPCG(1, 1)), 256<<10)
	for _, kind := range []string{"requests", "users", "times", "words"} {
		for _, n := range []int{2, 10, 100, 1000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", kind, n), func(b *testing.B) {
				s, err := Compile(identifiers(rand.New(rand.NewPCG(2, 2)), kind, n), false)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					s.All(text, len(text), func(int, int) bool { return true })
				}
			})
		}
	}
}
