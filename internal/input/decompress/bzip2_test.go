package decompress

import (
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// several returns streams of levels 1, 9 and 3, with empty ones between and blocks of all kinds.
func several() *bzip2Writer {
	w := &bzip2Writer{}
	for i, level := range []byte{1, 9, 9, 3} {
		w.begin(level)
		for k := range []int{7, 0, 3, 2}[i] {
			content := text(300+5*k, uint64(10*i+k))
			switch k {
			case 1:
				content = bytes.Repeat([]byte("aaaabbbbbbcdddd"), 40)
			case 2:
				content = bytes.Repeat([]byte{7}, 4+255+3)
			case 3:
				content = []byte{byte(i)}
			case 4:
				content = noise(700, uint64(i))
			}
			w.block(content)
		}
		w.end()
	}
	return w
}

func byLibrary(compressed []byte) ([]byte, error) {
	return io.ReadAll(bzip2.NewReader(bytes.NewReader(compressed)))
}

// The streams of this package's test encoder are what the library and other programs accept.
func TestBzip2EncodedByTests(t *testing.T) {
	w := several()
	got, err := byLibrary(w.out)
	if err != nil || !bytes.Equal(got, w.content) {
		t.Errorf("library: %d bytes of %d, error %v", len(got), len(w.content), err)
	}
	if _, err := exec.LookPath("bzip2"); err == nil {
		cmd := exec.Command("bzip2", "-dc")
		cmd.Stdin = bytes.NewReader(w.out)
		if got, err := cmd.Output(); err != nil || !bytes.Equal(got, w.content) {
			t.Errorf("bzip2: %d bytes of %d, error %v", len(got), len(w.content), err)
		}
	}
	check(t, "several streams", w.out, w.content, Bzip2)
}

// Blocks begin at any bit of a segment, and across its borders.
func TestBzip2Segments(t *testing.T) {
	w := several()
	for _, size := range []int{1, 2, 7, 30, 64, 101, 500} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			threshold.Shrink(t, size)
			check(t, "several streams", w.out, w.content, Bzip2)
		})
	}
}

// Runs that must wait for room after a few bytes become the current one before they have ended, also
// those that began within a stream and reach its end.
func TestBzip2AdoptedEarly(t *testing.T) {
	w := several()
	threshold.Shrink(t, 1)
	chunkBytes.Set(5)
	aheadSegments.Set(8)
	for _, size := range []int{200, 300, 450} {
		segmentBytes.Set(size)
		check(t, fmt.Sprintf("segments of %d bytes", size), w.out, w.content, Bzip2)
	}
}

// A block that is too long for its stream is refused, though the first stream's level allows it.
func TestBzip2LevelOfTheStream(t *testing.T) {
	w := &bzip2Writer{}
	w.begin(9)
	w.block(text(300, 1))
	w.end()
	w.begin(1)
	for i := range 9 {
		w.block(text(250, uint64(i)))
	}
	p := parts{used: []byte("a")}
	for run := bzip2LevelBytes + 100; run > 0; run = (run - 1) / 2 {
		p.symbols = append(p.symbols, uint16((run-1)%2))
	}
	p.sum = bzip2Sum(bytes.Repeat([]byte("a"), (bzip2LevelBytes+100)/5*(4+'a')))
	w.write(p)
	w.block(text(250, 1))
	w.end()
	threshold.Shrink(t, 300)
	for _, workers := range workerCounts {
		got, err := decompressAll(t, w.out, Bzip2, workers)
		if err == nil || !strings.Contains(err.Error(), "too long") || !bytes.Equal(got, w.content[:300+9*250]) {
			t.Errorf("%d workers: %d bytes, error %v", workers, len(got), err)
		}
	}
}

// Bits that look like a block, or that are a whole one, may occur within a block.
func TestBzip2BlockWithinABlock(t *testing.T) {
	threshold.Shrink(t, 300) // segments; so that runs begin ahead
	inner := &bzip2Writer{}
	inner.block(text(200, 1))
	inner.block(text(90, 2))
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	var hidden []uint16
	for shift := 0; hidden == nil; shift++ {
		hidden = symbolsOf(inner, shift, len(all)+2)
	}
	w := &bzip2Writer{}
	w.begin(4)
	for i := range 5 {
		w.block(text(250, uint64(i)))
		p := parts{used: all, origin: i, symbols: append(slices.Clone(hidden), uint16(2+i))}
		content := contentOf(p)
		p.sum = bzip2Sum(content)
		if got := nextBlock(inner.out, 0); got != 0 {
			t.Fatalf("the hidden block begins at %d", got)
		}
		w.write(p)
		w.content = append(w.content, content...)
	}
	w.end()
	if got, err := byLibrary(w.out); err != nil || !bytes.Equal(got, w.content) {
		t.Fatalf("library: %d bytes of %d, error %v", len(got), len(w.content), err)
	}
	if n := magics(w.out); n < 20 {
		t.Fatalf("%d places look like blocks; 10 are, and 10 more were hidden", n)
	}
	check(t, "hidden blocks", w.out, w.content, Bzip2)
}

// symbolsOf returns symbols whose codes are the bits of w behind so many ones; nil if the bits have
// the code of the end.
func symbolsOf(w *bzip2Writer, shift, symbols int) (list []uint16) {
	in := &bzip2Writer{}
	in.bits(0xff>>1, 8)
	in.bits(1<<shift-1, shift)
	for i := range w.n {
		in.bits(uint64(w.out[i/8]>>(7-i%8)&1), 1)
	}
	code, length := uint64(0), 0
	for i := range in.n {
		code, length = code<<1|uint64(in.out[i/8]>>(7-i%8)&1), length+1
		for s := range symbols {
			if lengthOf(s, symbols) == length && codeOf(s, symbols) == code {
				if s == symbols-1 {
					return nil
				}
				if s < 2 && len(list) > 8 && slices.Max(list[len(list)-8:]) < 2 {
					return nil // a run that could be too long
				}
				list = append(list, uint16(s))
				code, length = 0, 0
				break
			}
		}
	}
	return list
}

// magics returns how many places look like blocks, looking at each bit.
func magics(data []byte) (n int) {
	var window uint64
	for i := range 8 * len(data) {
		if window = window<<1 | uint64(data[i/8]>>(7-i%8)&1); window&(1<<48-1) == bzip2BlockMagic && i >= 47 {
			n++
		}
	}
	return n
}

func TestNextBlock(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for bytes := range 24 {
		for at := range 8 * bytes {
			w := &bzip2Writer{}
			for range at {
				w.bits(r.Uint64(), 1)
			}
			w.bits(bzip2BlockMagic, 48)
			for w.n < 8*bytes {
				w.bits(r.Uint64(), 1)
			}
			data := w.out[:bytes:bytes]
			want := at
			if at+48 > 8*bytes {
				want = -1
			}
			for _, from := range []int{0, at - 9, at - 1, at} {
				if got := nextBlock(data, max(from, 0)); got != want {
					t.Fatalf("%d bytes, from bit %d: %d, want %d", bytes, from, got, want)
				}
			}
			if got := nextBlock(data, at+1); got != -1 {
				t.Fatalf("%d bytes, magic number at %d: another at %d", bytes, at, got)
			}
		}
	}
}

// A flipped bit anywhere is an error, with the same bytes for any number of workers. Those of blocks
// before it are there, as from the library.
func TestBzip2Damage(t *testing.T) {
	w := several()
	threshold.Shrink(t, 200)
	r := rand.New(rand.NewPCG(2, 2))
	for i := range 250 {
		bit := i
		if i >= 120 {
			bit = r.IntN(8 * len(w.out))
		}
		damaged := slices.Clone(w.out)
		damaged[bit/8] ^= 1 << (7 - bit%8)
		compareDamaged(t, w, damaged, fmt.Sprintf("bit %d", bit))
	}
}

func TestBzip2Truncation(t *testing.T) {
	w := several()
	threshold.Shrink(t, 200)
	for at := 1; at < len(w.out); at += 17 {
		compareDamaged(t, w, w.out[:at], fmt.Sprintf("cut at %d", at))
	}
}

// A file that is cut where a block ends with a byte is not complete.
func TestBzip2CutBehindABlock(t *testing.T) {
	w := &bzip2Writer{}
	w.begin(5)
	for i := 0; i < 4 || w.n%8 > 0; i++ {
		w.block(text(250+i, uint64(i)))
	}
	threshold.Shrink(t, 300)
	for _, workers := range workerCounts {
		got, err := decompressAll(t, w.out, Bzip2, workers)
		if !errors.Is(err, failure.ErrTruncated) || !bytes.Equal(got, w.content) {
			t.Errorf("%d workers: %d bytes of %d, error %v", workers, len(got), len(w.content), err)
		}
	}
}

func compareDamaged(t *testing.T, w *bzip2Writer, damaged []byte, what string) {
	t.Helper()
	byLib, libErr := byLibrary(damaged)
	first, firstErr := decompressAll(t, damaged, Bzip2, 1)
	if errors.Is(firstErr, errNoSymbol) && libErr == nil {
		// Bits that say how long codes are. The library completes a code that lacks words; bzip2 does not.
		byLib, libErr = first, firstErr
	}
	if (firstErr == nil) != (libErr == nil) || firstErr == nil && !bytes.Equal(first, byLib) {
		t.Errorf("%s: %d bytes, error %v; library: %d bytes, error %v", what, len(first), firstErr, len(byLib), libErr)
	}
	if complete(w, first) != complete(w, byLib) {
		t.Errorf("%s: %d blocks are right, of the library's %d; errors %v, %v", what, complete(w, first), complete(w, byLib), firstErr, libErr)
	}
	if errors.Is(libErr, io.ErrUnexpectedEOF) && !errors.Is(firstErr, failure.ErrTruncated) {
		t.Errorf("%s: error %v; library %v", what, firstErr, libErr)
	}
	for _, workers := range workerCounts[1:] {
		got, err := decompressAll(t, damaged, Bzip2, workers)
		if !bytes.Equal(got, first) || fmt.Sprint(err) != fmt.Sprint(firstErr) {
			t.Errorf("%s, %d workers: %d bytes, error %v; 1 worker: %d bytes, error %v", what, workers, len(got), err, len(first), firstErr)
		}
	}
}

// complete returns how many blocks are right.
func complete(w *bzip2Writer, got []byte) (n int) {
	right := difference(got, w.content)
	for n < len(w.ends) && w.ends[n] <= right {
		n++
	}
	return n
}

// What a block must not have.
func TestBzip2Refused(t *testing.T) {
	for _, c := range []struct {
		change func(*parts)
		want   string
	}{
		{func(p *parts) { p.randomized = 1 }, "randomized"},
		{func(p *parts) { p.origin = 3 }, "origin lies outside"},
		{func(p *parts) { p.used = nil }, "without a byte"},
		{func(p *parts) { p.sum++ }, "checksum"},
		{func(p *parts) { p.symbols = slices.Repeat([]uint16{0}, 17) }, "too long"},
		{func(p *parts) {
			p.symbols = append(slices.Repeat([]uint16{0}, 16), 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
		}, "too long"},
	} {
		p := parts{used: []byte("ab"), symbols: []uint16{2, 0, 2}}
		p.sum = bzip2Sum(contentOf(p))
		c.change(&p)
		w := &bzip2Writer{}
		w.begin(1)
		w.write(p)
		w.end()
		_, libErr := byLibrary(w.out)
		for _, workers := range workerCounts {
			if _, err := decompressAll(t, w.out, Bzip2, workers); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%d workers: error %v, want %q; library: %v", workers, err, c.want, libErr)
			}
		}
	}
}

// The library's own files, with the bytes that it is tested with.
func TestBzip2LibrarysFiles(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("no go command: ", err)
	}
	names, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src/compress/bzip2/testdata/*.bz2"))
	if err != nil || len(names) < 5 {
		t.Skipf("files of compress/bzip2: %d, %v", len(names), err)
	}
	for _, name := range names {
		compressed, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := byLibrary(compressed)
		for _, workers := range workerCounts {
			if got, err := decompressAll(t, compressed, Bzip2, workers); (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
				t.Errorf("%s, %d workers: %d bytes, error %v; library: %d, %v", filepath.Base(name), workers, len(got), err, len(want), wantErr)
			}
		}
	}
}

// Every level, by the program, with content that fills one block of the highest.
func TestBzip2Levels(t *testing.T) {
	data := slices.Concat(text(700_000, 1), noise(150_000, 1), make([]byte, 5000), text(100_000, 2))
	for level := 1; level <= 9; level += 4 {
		check(t, fmt.Sprint("level ", level), by("bzip2", "-c", fmt.Sprint("-", level))(t, data), data, Bzip2)
	}
}

// Prefix codes of any lengths, also of too few or too many words, decode as one bit after the other.
func TestPrefixCode(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var c prefixCode
	for range 3000 {
		lengths := make([]uint8, 3+r.IntN(256))
		longest := 1 + r.IntN(codeBitsMax)
		for i := range lengths {
			lengths[i] = uint8(1 + r.IntN(longest))
		}
		c.build(lengths)
		for range 20 {
			next := r.Uint32() >> 12
			if r.IntN(2) == 0 {
				next |= ^uint32(0) >> 12 << r.IntN(20) & (1<<20 - 1)
			}
			wantSymbol, wantBits := plainDecode(lengths, next)
			entry := c.fast[next>>(codeBitsMax-codeBitsFast)]
			symbol, bits := entry>>codeLengthBits, uint(entry&(1<<codeLengthBits-1))
			if bits == 0 {
				symbol, bits = c.long(next)
			}
			if bits != wantBits || symbol != wantSymbol {
				t.Fatalf("%d lengths up to %d, bits %020b: symbol %d of %d bits, want %d of %d",
					len(lengths), longest, next, symbol, bits, wantSymbol, wantBits)
			}
		}
	}
}

// plainDecode decodes 20 bits: words are given to symbols in the order of lengths.
func plainDecode(lengths []uint8, next uint32) (symbol uint16, bits uint) {
	word := uint32(0)
	for bits := uint(1); bits <= codeBitsMax; bits++ {
		word <<= 1
		for s, length := range lengths {
			if uint(length) == bits && word < 1<<bits {
				if next>>(codeBitsMax-bits) == word {
					return uint16(s), bits
				}
				word++
			}
		}
	}
	return 0, 0
}

func TestToFront(t *testing.T) {
	for i := range 256 {
		var list [256]byte
		for k := range list {
			list[k] = byte(3*k + 1)
		}
		want := list
		copy(want[1:], list[:i])
		want[0] = list[i]
		if got := toFront(&list, i); got != want[0] || list != want {
			t.Errorf("place %d: %d, want %d", i, got, want[0])
		}
	}
}

// FuzzBzip2 compares with the library: where that has no error, nor has this decoder.
func FuzzBzip2(f *testing.F) {
	f.Add(several().out, uint8(50))
	f.Fuzz(func(t *testing.T, data []byte, workers uint8) {
		want, wantErr := byLibrary(data)
		if len(want) > 1<<22 {
			return
		}
		got, err := decompressAll(t, data, Bzip2, 1+int(workers%4))
		if wantErr == nil && !errors.Is(err, errNoSymbol) && (err != nil || !bytes.Equal(got, want)) {
			t.Errorf("%d bytes, error %v; library: %d bytes", len(got), err, len(want))
		}
	})
}
