package inflate_test

import (
	"bytes"
	"compress/flate"
	"fmt"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/inflate"
)

// TestFlushed: what was written before a flush can be read before anything follows, also if there is
// less room for it than it takes, and if it comes in two parts.
func TestFlushed(t *testing.T) {
	for level := flate.HuffmanOnly; level <= flate.BestCompression; level++ {
		for _, text := range []string{"a", "a needle", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", string(bytes.Repeat([]byte("a line\n"), 5000))} {
			var b bytes.Buffer
			w, err := flate.NewWriter(&b, level)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(w, text)
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			for _, room := range []int{1, 3, 8, 100, 100_000} {
				for _, cut := range []int{0, 1, b.Len() / 2, b.Len() - 1} {
					d := inflate.New()
					var got []byte
					for _, src := range [][]byte{b.Bytes()[:cut], b.Bytes()[cut:]} {
						for {
							dst := make([]byte, room)
							n, used, err := d.Decode(dst, src)
							if err != nil {
								t.Fatal(err)
							}
							got, src = append(got, dst[:n]...), src[used:]
							if n == 0 {
								break
							}
						}
						if len(src) > 0 {
							t.Errorf("level %d, %.10q, room for %d: %d bytes of input were left", level, text, room, len(src))
						}
					}
					if string(got) != text {
						t.Errorf("level %d, %.10q in parts of %d, room for %d: %d bytes of %d", level, text, cut, room, len(got), len(text))
					}
				}
			}
		}
	}
}
