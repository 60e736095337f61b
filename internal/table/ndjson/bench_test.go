package ndjson

import (
	"bytes"
	"testing"
)

// BenchmarkLines finds two values in lines of a log.
func BenchmarkLines(b *testing.B) {
	line := []byte(`{"ts":"2026-11-20T08:47:22Z","level":"error","ms":342.61,"user":{"id":775840,"country":"JP","name":"ann"},` +
		`"path":"/api/v1/items/7629","status":200,"tags":["a","b"]}` + "\n")
	text := bytes.Repeat(line, 190)
	var paths Paths
	var wanted []int
	for _, name := range []string{"user.country", "ms"} {
		column, err := paths.Resolve(name, false)
		if err != nil {
			b.Fatal(err)
		}
		wanted = append(wanted, column)
	}
	l := New(&paths, wanted)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		l.Begin(text)
		for from := 0; from < len(text); from += len(line) {
			if _, reason := l.Line(from, from+len(line)-1); reason != "" {
				b.Fatal(reason)
			}
		}
	}
}
