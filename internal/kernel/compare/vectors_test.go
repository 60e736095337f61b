//go:build amd64 || arm64

package compare

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/question"
)

// Columns longer than one call of a kernel handles.
const piecesBytes = 3*pieceBytes + 36

var piecesTypes = []string{"u8", "i16be", "i32", "f64"}

// A value next to the end of a piece is found, and so is one at the very end.
func TestIndexPieces(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f searcher) {
		for _, name := range piecesTypes {
			typ, b := mustType(t, name), make([]byte, piecesBytes)
			p := mustCompile(t, typ, f, native{question.Equal, 7, 0})
			for _, end := range []int{pieceBytes, 2 * pieceBytes, piecesBytes / 8 * 8} {
				for at := end - 64; at <= min(end+64, piecesBytes-8); at += 8 {
					typ.put(b[at:], 7)
					for _, stride := range []int{typ.width, 8} {
						if got := p.IndexStride(b, stride); got != at {
							t.Fatalf("%v, stride %d: got %d, want %d", typ, stride, got, at)
						}
					}
					typ.put(b[at:], 0)
				}
			}
		}
	})
}

func TestCountPieces(t *testing.T) {
	b := make([]byte, piecesBytes)
	for i := range b {
		b[i] = byte(i / 1000 % 16)
	}
	kerneltest.Run(t, counters, func(t *testing.T, f counter) {
		for _, name := range piecesTypes {
			typ := mustType(t, name)
			cond := native{question.LessOrEqual, 0x0707_0707_0707_0707 & typ.maxRank(), 0}
			p, plain := mustCounter(t, typ, f, cond), mustCounter(t, typ, countPlain, cond)
			for n := piecesBytes - 70; n <= piecesBytes; n += 5 {
				for _, stride := range []int{typ.width, 16} {
					got, want := p.CountStride(b[:n], stride), plain.CountStride(b[:n], stride)
					if got != want || want == 0 {
						t.Fatalf("%v, length %d, stride %d: got %d, want %d", typ, n, stride, got, want)
					}
				}
			}
		}
	})
}
