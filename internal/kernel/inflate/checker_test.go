package inflate

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	other "github.com/klauspost/compress/flate"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
)

// outcome is what is known of a stream once it was decoded.
type outcome struct {
	out  []byte
	used int
	err  error // io.EOF at its end, ErrCorrupt at a fault, io.ErrUnexpectedEOF if input is missing
}

func (o outcome) equal(p outcome) bool {
	return bytes.Equal(o.out, p.out) && o.used == p.used && o.err == p.err
}

func (o outcome) String() string {
	return fmt.Sprintf("%d bytes from %d, %v", len(o.out), o.used, o.err)
}

// A library is a decoder of other hands.
type library struct {
	r    io.ReadCloser
	read bytes.Reader
}

// libraries returns the standard library, and the one that thresh used before it had its own decoder.
func libraries() []*library {
	return []*library{{r: flate.NewReader(nil)}, {r: other.NewReader(nil)}}
}

func (l *library) decode(t testing.TB, src []byte) outcome {
	t.Helper()
	l.read.Reset(src)
	if err := l.r.(flate.Resetter).Reset(&l.read, nil); err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(l.r)
	switch {
	case err == nil:
		err = io.EOF
	case err != io.ErrUnexpectedEOF:
		err = ErrCorrupt
	}
	return outcome{out, len(src) - l.read.Len(), err}
}

// agree reports whether a library that reads src says the same as got. Libraries load as many bits at
// a time as the end of the block has: where input is missing they stop up to two bytes before the
// last codes, and before a fault among those they load up to two bytes more.
func (l *library) agree(t testing.TB, src []byte, got outcome) bool {
	t.Helper()
	want := l.decode(t, src)
	switch want.err {
	case io.EOF:
		return got.equal(want)
	case ErrCorrupt:
		return got.err == ErrCorrupt && bytes.Equal(got.out, want.out) && got.used <= want.used && got.used+2 >= want.used
	}
	if got.err == io.EOF || got.used > want.used || got.used+2 < want.used {
		return false
	}
	more := l.decode(t, append(bytes.Clone(src), make([]byte, 3)...))
	return bytes.HasPrefix(got.out, want.out) && bytes.HasPrefix(more.out, got.out)
}

// sizes returns how much room and input the next call of Decode gets.
type sizes func() (room, input int)

func steps(room, input int) sizes { return func() (int, int) { return room, input } }

// random returns sizes from 0 on, most of them small, some large.
func random(seed uint64) sizes {
	r := rand.New(rand.NewPCG(seed, 1))
	size := func() int { return r.IntN(1 << r.IntN(13)) }
	return func() (int, int) { return size(), size() }
}

// canary stands in memory that Decode must not change.
const canary = 0xa5

// decode decodes a stream with the given sizes. Every output goes to the same memory, so what earlier
// calls wrote is not there any more.
func (c *checker) decode(t testing.TB, d *Decoder, src []byte, next sizes) (o outcome) {
	t.Helper()
	d.Reset()
	buf := c.buf
	defer func() { c.buf = buf }()
	for stuck := 0; stuck < 1000; stuck++ {
		room, input := next()
		if len(buf) < room+64 {
			buf = make([]byte, room+64)
		}
		for i := range 64 {
			buf[room+i] = canary
		}
		in := src[o.used:min(len(src), o.used+input)]
		n, used, err := d.Decode(buf[:room:room], in)
		if n > room || used > len(in) || n < 0 || used < 0 {
			t.Fatalf("%d bytes of %d from %d of %d", n, room, used, len(in))
		}
		if err == nil && n < room && used < len(in) {
			t.Fatalf("it stopped with room for %d bytes and %d bytes of input", room-n, len(in)-used)
		}
		for i := range 64 {
			if buf[room+i] != canary {
				t.Fatalf("room of %d: it wrote %d bytes behind it", room, i)
			}
		}
		o.out, o.used = append(o.out, buf[:n]...), o.used+used
		if err != nil {
			o.err = err
			return o
		}
		if n < room && o.used == len(src) {
			o.err = io.ErrUnexpectedEOF
			return o
		}
		if n > 0 || used > 0 {
			stuck = 0
		}
	}
	t.Fatal("it does not go on")
	return o
}

// noLoops leave everything to the plain twin, which decodes symbol by symbol.
var noLoops = loops{func(*span) {}, func(*span) {}}

// checker compares all decoders.
type checker struct {
	libraries []*library
	twin      *Decoder
	decoders  []*Decoder
	buf       []byte
}

func newChecker(t *testing.T) *checker {
	c := &checker{libraries: libraries(), twin: newDecoder(noLoops)}
	kerneltest.Run(t, variants, func(_ *testing.T, l loops) { c.decoders = append(c.decoders, newDecoder(l)) })
	return c
}

// check compares the plain twin with the libraries, and the variants with the twin, for several sizes.
func (c *checker) check(t testing.TB, what string, src []byte, more ...sizes) {
	t.Helper()
	whole := steps(1<<20, 1<<20)
	want := c.decode(t, c.twin, src, whole)
	for i, l := range c.libraries {
		// The other library notices some faults later than the standard one.
		if (i == 0 || want.err == io.EOF) && !l.agree(t, src, want) {
			t.Fatalf("%s: twin %v, library %d %v", what, want, i, l.decode(t, src))
		}
	}
	all := append(more, whole, steps(outputSlack+1, inputSlack), random(uint64(len(src))))
	if len(want.out) < 1000 {
		all = append(all, steps(1, 1<<20), steps(1<<20, 1), steps(1, 1))
	}
	for i, next := range all {
		for k, d := range append(c.decoders, c.twin) {
			if got := c.decode(t, d, src, next); !got.equal(want) {
				t.Fatalf("%s, variant %d, sizes %d: %v, want %v, first difference at %d", what, k, i, got, want, difference(got.out, want.out))
			}
		}
	}
}

func difference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
