package inflate

import (
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// text returns n bytes like those of a log.
func text(n int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	var b []byte
	for len(b) < n {
		b = fmt.Appendf(b, "2026-01-02T%02d:%02d INFO user=%05d req=%x\n", r.IntN(24), r.IntN(60), r.IntN(1e5), r.Uint32())
	}
	return b[:n]
}

// writers are reused by level: each takes a megabyte.
var writers = map[int]*flate.Writer{}

func deflate(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := writers[level]
	if w == nil {
		var err error
		if w, err = flate.NewWriter(nil, level); err != nil {
			t.Fatal(err)
		}
		writers[level] = w
	}
	w.Reset(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Streams of other encoders: see testdata/encoders.sh. All have the same content.
func TestEncoders(t *testing.T) {
	c := newChecker(t)
	names, err := filepath.Glob("testdata/encoders/*")
	if err != nil || len(names) < 30 {
		t.Fatalf("%d streams, error %v", len(names), err)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if sum := crc32.ChecksumIEEE(c.decode(t, c.twin, src, steps(1<<20, 1<<20)).out); sum != contentCRC {
			t.Errorf("%s: the content has checksum %#x", name, sum)
		}
		c.check(t, name, append(src, "behind it"...))
	}
}

// contentCRC is the checksum of the content of all streams in testdata/encoders.
const contentCRC = 0x739a4ff9

// Outputs of all sizes around the slack, which end right before a page that cannot be written, from
// input right before one that cannot be read.
func TestGuardPages(t *testing.T) {
	c := newChecker(t)
	_, in := kerneltest.Guarded(t, 8<<10)
	first, last := kerneltest.Guarded(t, 8<<10)
	random := rand.New(rand.NewPCG(1, 1))
	for _, data := range [][]byte{text(3 * outputSlack), bytes.Repeat([]byte{7}, 3*outputSlack), bytes.Repeat([]byte("abcdefghijklmnopqrstuvwxyz"), 40)} {
		for n := range 3 * outputSlack {
			if testing.Short() && random.IntN(4) > 0 {
				continue
			}
			src := deflate(t, data[:n], 6)
			behind := random.IntN(2) * 2 * inputSlack // with more input, the loop goes on up to the end
			at := in[len(in)-len(src)-behind:]
			copy(at, src)
			for _, d := range c.decoders {
				for _, out := range [][]byte{last[len(last)-n:], first[:n]} {
					d.Reset()
					got, used, err := d.Decode(out, at)
					if got != n || used != len(src) || err != io.EOF || !bytes.Equal(out, data[:n]) {
						t.Fatalf("%d bytes: %d from %d of %d, %v", n, got, used, len(src), err)
					}
				}
				// In two parts, so that matches reach back into the history.
				cut := random.IntN(n + 1)
				d.Reset()
				out := last[len(last)-cut:]
				got, used, err := d.Decode(out, at)
				head := bytes.Clone(out)
				rest := last[len(last)-(n-cut):]
				more, _, end := d.Decode(rest, at[used:])
				if got != cut || err != nil && cut < n || more != n-cut || end != io.EOF || !bytes.Equal(append(head, rest...), data[:n]) {
					t.Fatalf("%d bytes in two parts: %d and %d, %v and %v", n, got, more, err, end)
				}
			}
		}
	}
}

// The longest match right behind two entries of two literals each, in room that it just fits in or a
// little more: nothing is written so far behind its end that it is outside.
func TestLastMatch(t *testing.T) {
	c := newChecker(t)
	_, last := kerneltest.Guarded(t, 8<<10)
	for head := 18; head < 40; head++ {
		src := dynamic(withLengths(286, map[int]uint8{0: 2, 1: 2, 256: 2, 285: 2}), withLengths(9, map[int]uint8{8: 1}), func(w *bitWriter, l, d huffman) {
			for i := range head {
				l.write(w, i%2)
			}
			l.write(w, 285)
			d.write(w, 8)
			w.bits(0, 3)
			l.write(w, 256)
		})
		src = append(src, make([]byte, 2*inputSlack)...)
		want := c.decode(t, c.twin, src, steps(1<<20, 1<<20))
		for _, d := range c.decoders {
			for room := head + matchMax; room < head+matchMax+2*overrun; room++ {
				d.Reset()
				out := last[len(last)-room:]
				if n, _, err := d.Decode(out, src); err != io.EOF || !bytes.Equal(out[:n], want.out) {
					t.Fatalf("room for %d bytes: %d, %v", room, n, err)
				}
			}
		}
	}
}

// The output of a long stream does not depend on how it is cut into pieces, with all sizes of the
// threshold table and with small ones.
func TestPieces(t *testing.T) {
	c := newChecker(t)
	data := text(120_000)
	for _, level := range []int{0, 1, 6, 9, flate.HuffmanOnly} {
		all := []sizes{steps(windowBytes+1, 999), random(2)}
		for n := -1; n <= 1; n++ {
			all = append(all, steps(windowBytes/2+n, 1<<20), steps(windowBytes+n, 1<<20), steps(2*windowBytes+n, 1<<20))
		}
		c.check(t, fmt.Sprint("level ", level), deflate(t, data, level), all...)
	}
	large := deflate(t, text(2*callBytes.Real()+outputSlack+1), 6)
	for n := -1; n <= 1; n++ {
		c.check(t, "large", large, steps(callBytes.Real()+outputSlack+n, 1<<20))
	}
	src := deflate(t, data[:50_000], 6)
	for _, shrunk := range []int{1, 2, 100} {
		threshold.Shrink(t, shrunk)
		c.check(t, fmt.Sprint("sizes of ", shrunk), src, random(3))
	}
}

// A stream that is cut anywhere, or that has a wrong bit anywhere, is what the library says.
func TestDamage(t *testing.T) {
	c := newChecker(t)
	for _, level := range []int{0, 1, 6, flate.HuffmanOnly} {
		src := deflate(t, text(1500), level)
		for cut := 0; cut <= len(src); cut += 1 + cut/20 {
			c.check(t, fmt.Sprintf("level %d, cut at %d", level, cut), src[:cut])
		}
		every := 11
		if testing.Short() {
			every = 97
		}
		for bit := 0; bit < 8*len(src); bit += 1 + bit/100*every/11 {
			src[bit/8] ^= 1 << (bit % 8)
			c.check(t, fmt.Sprintf("level %d, bit %d", level, bit), src)
			src[bit/8] ^= 1 << (bit % 8)
		}
	}
}

// Matches of all lengths from all distances at which vectors overlap, and from some behind them.
func TestMatches(t *testing.T) {
	c := newChecker(t)
	literals, distances := canonical(fixedLengths()), canonical(bytes.Repeat([]byte{5}, fixedDistances))
	for distance := 1; distance < 70; distance++ {
		var w bitWriter
		w.bits(1, 1)
		w.bits(1, 2)
		for i := range distance {
			literals.write(&w, i)
		}
		for length := 3; length <= matchMax; length++ {
			writeValue(&w, literals, literalSymbols[:literalMax], 257, length)
			writeValue(&w, distances, distanceSymbols[:distanceMax], 0, distance)
			literals.write(&w, length%256)
		}
		literals.write(&w, 256)
		c.check(t, fmt.Sprint("distance ", distance), w.out)
	}
}

// Streams of random codes, lengths and distances, also such as no encoder writes; and with wrong bits.
func TestRandomStreams(t *testing.T) {
	c := newChecker(t)
	n := 300
	if testing.Short() {
		n = 60
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		src := randomStream(r, 1+r.IntN(4))
		c.check(t, fmt.Sprintf("seed %d", seed), src, random(uint64(seed)))
		for range 3 {
			bit := r.IntN(8 * len(src))
			src[bit/8] ^= 1 << (bit % 8)
			c.check(t, fmt.Sprintf("seed %d, bit %d", seed, bit), src)
			src[bit/8] ^= 1 << (bit % 8)
		}
	}
}

// FuzzDecode compares all decoders, whatever the input, for random sizes.
func FuzzDecode(f *testing.F) {
	for _, level := range []int{0, 1, 6, flate.HuffmanOnly} {
		f.Add(deflate(f, text(600), level), uint64(level))
	}
	for seed := range uint64(20) {
		f.Add(randomStream(rand.New(rand.NewPCG(seed, 6)), 2), seed)
	}
	c := &checker{libraries: libraries(), twin: newDecoder(noLoops)}
	for _, v := range variants {
		if cpu.Has(v.ISA) {
			c.decoders = append(c.decoders, newDecoder(v.Func))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, seed uint64) {
		if len(src) < 1<<13 {
			c.check(t, "fuzz", src, random(seed), steps(500, 100))
		}
	})
}
