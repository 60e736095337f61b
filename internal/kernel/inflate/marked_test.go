package inflate

import (
	"bytes"
	"compress/flate"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// place is where a block begins, and the output before it.
type place struct {
	bit    int
	stored bool
	out    int
}

// blocks returns the places of all blocks behind the first, and the output.
func blocks(t testing.TB, d *Decoder, src []byte) (all []place, out []byte) {
	t.Helper()
	d.Reset()
	d.PauseAtBlocks()
	buf := make([]byte, 5000)
	for at := 0; ; {
		n, used, err := d.Decode(buf, src[at:])
		out, at = append(out, buf[:n]...), at+used
		if ok, bits, stored := d.Paused(); ok {
			all = append(all, place{8*at - int(bits), stored, len(out)})
		}
		if err == io.EOF {
			return all, out
		}
		if ok, _, _ := d.Paused(); err != nil || n == 0 && used == 0 && !ok {
			t.Fatalf("at %d of %d: %v", at, len(src), err)
		}
	}
}

// marked decodes from a place, as symbols, and replaces them.
func marked(t testing.TB, d *Decoder, src []byte, p place, w *Window, next sizes) outcome {
	t.Helper()
	d.ResetAt(uint8(p.bit%8), p.stored, nil)
	var o outcome
	o.used = p.bit / 8
	for stuck := 0; stuck < 1000; stuck++ {
		room, input := next()
		symbols := make([]Symbol, room+20)
		for i := range symbols {
			symbols[i] = canary
		}
		in := src[o.used:min(len(src), o.used+input)]
		n, used, err := d.Symbols(symbols[:room:room], in)
		for _, s := range symbols[room:] {
			if s != canary {
				t.Fatalf("room for %d symbols: it wrote behind it", room)
			}
		}
		got := make([]byte, n)
		w.Replace(got, symbols[:n])
		o.out, o.used = append(o.out, got...), o.used+used
		if err == nil && n < room && o.used == len(src) {
			err = io.ErrUnexpectedEOF
		}
		if o.err = err; err != nil {
			return o
		}
		if n > 0 || used > 0 {
			stuck = 0
		}
	}
	t.Fatal("it does not go on")
	return o
}

// kinds are contents whose blocks are of all kinds.
func kinds() map[string][]byte {
	noise := make([]byte, 200_000)
	rand.NewChaCha8([32]byte{3}).Read(noise)
	return map[string][]byte{
		"log": text(300_000), "zeros": make([]byte, 400_000), "noise": noise,
		"short distances": bytes.Repeat([]byte("abcabcdeabcdefgh"), 20_000),
		"mixed":           append(append(text(100_000), noise[:90_000]...), text(150_000)...),
	}
}

// From each block on, symbols are what the whole stream has there, whatever decodes them in whatever
// pieces; and the same faults are found.
func TestSymbols(t *testing.T) {
	c := newChecker(t)
	places := 0
	for name, content := range kinds() {
		for _, level := range []int{0, 1, 6, flate.HuffmanOnly} {
			src := deflate(t, content, level)
			all, out := blocks(t, c.twin, src)
			if !bytes.Equal(out, content) {
				t.Fatalf("%s, level %d: the output is wrong", name, level)
			}
			for i, p := range all {
				if p.out < windowBytes || i%3 > 0 && i < len(all)-1 && len(all) > 12 {
					continue
				}
				places++
				w := NewWindow(content[p.out-windowBytes : p.out])
				for k, d := range append(c.decoders, c.twin) {
					for s, next := range []sizes{steps(1<<20, 1<<20), random(uint64(i)), steps(symbolSlack/2+1, inputSlack), steps(1<<20, 3001)} {
						if k > 0 && s > 1 && len(content)-p.out > 100_000 {
							continue
						}
						got := marked(t, d, src, p, w, next)
						if got.err != io.EOF || !bytes.Equal(got.out, content[p.out:]) {
							t.Fatalf("%s, level %d, from bit %d, decoder %d, sizes %d: %v, want %d bytes, first difference at %d",
								name, level, p.bit, k, s, got, len(content)-p.out, difference(got.out, content[p.out:]))
						}
					}
				}
			}
		}
	}
	if places < 20 {
		t.Errorf("%d places", places)
	}
}

// With wrong bits behind the place, and cut, all decoders have the same output and fault as one that
// knows the window.
func TestSymbolsOfDamage(t *testing.T) {
	c := newChecker(t)
	content := text(70_000)
	src := deflate(t, content, 6)
	all, _ := blocks(t, c.twin, src)
	p := all[len(all)-1]
	if p.out < windowBytes {
		t.Fatalf("the last block begins behind %d bytes", p.out)
	}
	w := NewWindow(content[p.out-windowBytes : p.out])
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		damaged := bytes.Clone(src)
		bit := p.bit + r.IntN(8*len(src)-p.bit)
		if i%4 == 0 {
			damaged = damaged[:bit/8+1]
		} else {
			damaged[bit/8] ^= 1 << (bit % 8)
		}
		c.twin.ResetAt(uint8(p.bit%8), p.stored, w)
		want := outcome{used: p.bit / 8}
		buf := make([]byte, 1<<20)
		n, used, err := c.twin.Decode(buf, damaged[p.bit/8:])
		if err == nil && n < len(buf) {
			err = io.ErrUnexpectedEOF
		}
		want.out, want.used, want.err = buf[:n], want.used+used, err
		if n == len(buf) {
			continue
		}
		for k, d := range append(c.decoders, c.twin) {
			if got := marked(t, d, damaged, p, w, random(uint64(i))); !got.equal(want) {
				t.Fatalf("bit %d, decoder %d: %v, want %v", bit, k, got, want)
			}
		}
	}
}

// Symbols become bytes anywhere, whether or not a match is complete: when the window is known, or when
// the last output has no markers.
func TestUnmark(t *testing.T) {
	c := newChecker(t)
	r := rand.New(rand.NewPCG(1, 3))
	for name, content := range kinds() {
		src := deflate(t, content, 6)
		all, _ := blocks(t, c.twin, src)
		unmarked, tried := 0, 0
		for i, p := range all {
			if p.out < windowBytes || i%4 > 0 && len(all) > 12 {
				continue
			}
			if len(content)-p.out > 90_000 {
				tried++ // the symbols end before the content does
			}
			w := NewWindow(content[p.out-windowBytes : p.out])
			for _, d := range append(c.decoders, c.twin) {
				for _, known := range []*Window{w, nil} {
					d.ResetAt(uint8(p.bit%8), p.stored, nil)
					symbols := make([]Symbol, r.IntN(90_000))
					n, used, err := d.Symbols(symbols, src[p.bit/8:])
					out := make([]byte, len(content))
					w.Replace(out, symbols[:n])
					if err == nil {
						clean := d.Unmark(known)
						if clean != !d.Marked() || known != nil && !clean {
							t.Fatalf("%s: unmarked %v, marked %v", name, clean, d.Marked())
						}
						if !clean {
							continue
						}
						unmarked++
						if got := d.Window(); !bytes.Equal(got.output(), content[p.out+n-windowBytes:][:windowBytes]) {
							t.Fatalf("%s: another window", name)
						}
						var m int
						m, _, err = d.Decode(out[n:], src[p.bit/8+used:])
						n += m
					}
					if err != io.EOF || !bytes.Equal(out[:n], content[p.out:]) {
						t.Fatalf("%s, from bit %d: %d bytes, %v, first difference at %d", name, p.bit, n, err, difference(out[:n], content[p.out:]))
					}
				}
			}
		}
		if unmarked < tried {
			t.Errorf("%s: %d unmarked, %d tried", name, unmarked, tried)
		}
	}
}

// The window at the end of symbols, once the one before them is known.
func TestWindow(t *testing.T) {
	content := text(200_000)
	src := deflate(t, content, 6)
	d := New()
	all, _ := blocks(t, d, src)
	p := all[0]
	w := NewWindow(content[p.out-windowBytes : p.out])
	for _, n := range []int{0, 1, 100, windowBytes - 1, windowBytes, windowBytes + 1, 2*windowBytes + 5} {
		d.ResetAt(uint8(p.bit%8), p.stored, nil)
		if got, _, err := d.Symbols(make([]Symbol, n), src[p.bit/8:]); got != n || err != nil {
			t.Fatalf("%d symbols of %d: %v", got, n, err)
		}
		want := *NewWindow(content[p.out+n-windowBytes:])
		got := make([]byte, windowBytes)
		w.Replace(got, d.Tail())
		if !bytes.Equal(got, want.output()) {
			t.Errorf("%d symbols: another tail", n)
		}
	}
	d.Reset()
	if _, _, err := d.Decode(make([]byte, windowBytes-1), src); err != nil || d.Full() {
		t.Errorf("a window of too little output; %v", err)
	}
}

// Symbols are replaced in their own memory, too, for all lengths around a group.
func TestReplace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	output := make([]byte, windowBytes)
	rand.NewChaCha8([32]byte{4}).Read(output)
	w := NewWindow(output)
	for n := range 70 {
		symbols := make([]Symbol, n)
		want := make([]byte, n)
		for i := range symbols {
			symbols[i] = Symbol(r.IntN(firstMarker))
			want[i] = byte(symbols[i])
			if r.IntN(2) == 0 {
				place := r.IntN(windowBytes)
				symbols[i], want[i] = Symbol(firstMarker+place), output[place]
			}
		}
		for _, dst := range [][]byte{make([]byte, n), asBytes(symbols)[:n]} {
			if w.Replace(dst, symbols); !bytes.Equal(dst, want) {
				t.Fatalf("%d symbols: %v, want %v", n, dst, want)
			}
		}
	}
}

// The finder finds every block that is not the last one, of its stream, and for which it is made; those of
// fixed codes it leaves out. What else it finds by chance is not one.
func TestFinder(t *testing.T) {
	f, d := NewFinder(), New()
	found, chance := 0, 0
	for name, content := range kinds() {
		for _, level := range []int{0, 1, 6, 9, flate.HuffmanOnly} {
			src := deflate(t, content, level)
			all, _ := blocks(t, d, src)
			want := map[place]bool{}
			for _, p := range all {
				p.out = 0
				kind := bitsAt(src, p.bit, 3)
				if p.stored || kind == 4 && len(src)-p.bit/8 > 400 {
					want[p] = true
				}
			}
			for i := 0; ; {
				at, stored := f.Next(src, i)
				if at < 0 {
					break
				}
				if p := (place{at, stored, 0}); want[p] {
					delete(want, p)
					found++
				} else {
					chance++
				}
				i = at + 1
			}
			if len(want) > 0 {
				t.Errorf("%s, level %d: %d of %d were not found: %v", name, level, len(want), len(all), want)
			}
		}
	}
	t.Logf("%d blocks, and %d by chance", found, chance)
	if found < 50 || chance > found {
		t.Errorf("%d blocks, and %d by chance", found, chance)
	}
}

func bitsAt(src []byte, at, n int) (v int) {
	for i := range n {
		v |= int(src[(at+i)/8]>>((at+i)%8)&1) << i
	}
	return v
}

// The finder agrees with one that asks the decoder at each bit, on damaged headers and short data.
func TestFinderPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	f := NewFinder()
	for i := range 200 {
		src := randomStream(r, 2+r.IntN(3))
		for range r.IntN(3) {
			src[r.IntN(len(src))] ^= 1 << r.IntN(8)
		}
		at, stored := f.Next(src, i%9)
		if wantAt, wantStored := findPlain(src, i%9); at != wantAt || stored != wantStored {
			t.Fatalf("stream %d of %d bytes: %d, %v, want %d, %v", i, len(src), at, stored, wantAt, wantStored)
		}
	}
}

// findPlain asks at each bit.
func findPlain(src []byte, i int) (int, bool) {
	d := New()
	for ; i < 8*(len(src)-finderBytes); i++ {
		if b := i / 8; i%8 == 0 && b > 0 && src[b-1] < 0x20 && src[b]^src[b+2] == 255 && src[b+1]^src[b+3] == 255 {
			return i, true
		}
		if bitsAt(src, i, 3) != 4 {
			continue
		}
		n := bitsAt(src, i+13, 4) + 4
		sum := 0
		for k := range n {
			if length := bitsAt(src, i+17+3*k, 3); length > 0 {
				sum += 128 >> length
			}
		}
		d.ResetAt(uint8(i%8), false, NewWindow(make([]byte, windowBytes)))
		d.PauseAtBlocks()
		d.literals = nil
		d.Decode(nil, src[i/8:])
		if sum == 128 && d.literals == &d.own.literals && d.header.lengths[256] > 0 {
			return i, false
		}
	}
	return -1, false
}

// The table's sizes stay within bounds when they are shrunk.
func TestSymbolsShrunk(t *testing.T) {
	threshold.Shrink(t, 1)
	TestWindow(t)
}
