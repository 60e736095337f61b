package run

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// matchesByLine returns what the standard library finds in each line.
func matchesByLine(expr string, data []byte) (hits []answer.Hit) {
	re := regexp.MustCompile(expr)
	for lo := 0; lo < len(data); {
		hi := lo + bytes.IndexByte(data[lo:], '\n')
		if hi < lo {
			hi = len(data)
		}
		for _, m := range re.FindAllIndex(data[lo:hi], -1) {
			hits = append(hits, answer.Hit{Off: int64(lo + m[0]), Len: int64(m[1] - m[0])})
		}
		lo = hi + 1
	}
	return hits
}

// pipeOf returns an input that gives data in pieces.
func pipeOf(t *testing.T, data []byte, pieceBytes int) *Input {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer w.Close()
		for len(data) > 0 {
			n := min(len(data), pieceBytes)
			if _, err := w.Write(data[:n]); err != nil {
				return // the search has ended
			}
			data = data[n:]
		}
	}()
	in, err := FromFile("pipe", r, false)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// inputsOf returns the same bytes as a file, through a pipe and compressed.
func inputsOf(t *testing.T, data []byte) map[string]func() *Input {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.Copy(z, bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	plain, zipped := write(t, data), write(t, packed.Bytes())
	if err := os.Rename(zipped, zipped+".gz"); err != nil {
		t.Fatal(err)
	}
	return map[string]func() *Input{
		"file": func() *Input { return open(t, plain) },
		"pipe": func() *Input { return pipeOf(t, data, 1<<16) },
		"gzip": func() *Input { return open(t, zipped+".gz") },
	}
}

func checkInputs(t *testing.T, exprs []string, data []byte, o Options) {
	t.Helper()
	for name, input := range inputsOf(t, data) {
		for _, expr := range exprs {
			want := matchesByLine(expr, data)
			q := must(t)(Regexp(expr))
			in := input()
			hits, report := search(t, in, q, o)
			in.Close()
			if !slices.Equal(hits, want) || !report.Complete {
				t.Errorf("%q in a %s of %d bytes: %d hits, want %d, complete %v %v", expr, name, len(data), len(hits),
					len(want), report.Complete, report.Unread)
			}
			in = input()
			counted, err := Count(context.Background(), in, q, o)
			in.Close()
			if err != nil || counted.Hits != int64(len(want)) || !counted.Complete {
				t.Errorf("%q in a %s of %d bytes: counted %d, want %d, complete %v, error %v", expr, name, len(data),
					counted.Hits, len(want), counted.Complete, err)
			}
		}
	}
}

// TestRegexpInLongLines: lines around and beyond the context of a block give the same
// answers through a pipe, compressed and in a file, with a line feed at the end or not.
func TestRegexpInLongLines(t *testing.T) {
	const context = 1 << 20
	exprs := []string{`ne+dle`, `^x.*e$`, `x{3}n`, `[a-z]{2,9}`}
	for _, n := range []int{context - 1, context, context + 1, 3*context + 7} {
		for i, end := range []string{"needle", "needle\n", "\nneedle"} {
			if n == context || i == n%3 {
				checkInputs(t, exprs, []byte("needle\n"+strings.Repeat("x", n)+end), Options{Run: options.Run{Workers: 2}})
			}
		}
		if testing.Short() {
			return
		}
	}
}

// TestRegexpInRandomLines does the same for random text, with all sizes shrunk.
func TestRegexpInRandomLines(t *testing.T) {
	exprs := []string{`a.c`, `[a-z]{2,9}`, `b.*c|b`, `(?:\b|a)+`, `^a.*b$`, `a*`, `[^a]`, `"[^"]*"`, `b+a`, `\bab`, `$`}
	for _, size := range []int{3, 64} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			threshold.Shrink(t, size)
			for _, s := range threshold.All() {
				if strings.Contains(s.Name(), "wait for a longer one") {
					s.Set(s.Real()) // it bounds the answer
				}
			}
			rng := rand.New(rand.NewPCG(11, uint64(size)))
			for range rounds.Of(2) {
				var b bytes.Buffer
				for b.Len() < 10_000 {
					for range rng.IntN(6000) {
						b.WriteString([]string{"a", "b", "c", "\"", " ", "é", "\xff"}[rng.IntN(7)])
					}
					b.WriteByte('\n')
				}
				data := b.Bytes()[:b.Len()-rng.IntN(2)]
				checkInputs(t, exprs, data, Options{Run: options.Run{Workers: 3, ChunkBytes: 4096}})
			}
		})
	}
}
