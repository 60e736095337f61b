package zerocopy_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/thresh-dev/thresh/zerocopy"
)

// nest is a source with random wrappers, and the values that show its position.
type nest struct {
	r      io.Reader
	limits []*io.LimitedReader
	counts []*zerocopy.Counter
	text   string
}

// wrapped wraps r at random. Two nests from equal seeds have the same shape. A plain nest omits our
// own readers, so that io.Copy of it is the reference.
func wrapped(r io.Reader, what string, rng *rand.Rand, plain bool) nest {
	n := nest{r: r, text: what}
	for range rng.IntN(4) {
		max := rng.Int64N(200_000)
		if rng.IntN(3) == 0 {
			max = 1 << 40
		}
		switch kind := rng.IntN(4); {
		case kind < 2:
			l := &io.LimitedReader{R: n.r, N: max}
			n.r, n.limits, n.text = l, append(n.limits, l), fmt.Sprintf("limit %d of %s", max, n.text)
		case !plain:
			c := new(zerocopy.Counter)
			n.r, n.counts, n.text = zerocopy.NewReader(n.r, zerocopy.Count(c)), append(n.counts, c), "reader of "+n.text
		}
	}
	return n
}

// failing accepts some bytes and then fails.
type failing struct {
	bytes.Buffer
	room int
}

var errRoom = fmt.Errorf("no more room")

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.room {
		n, _ := f.Buffer.Write(p[:f.room])
		f.room = 0
		return n, errRoom
	}
	f.room -= len(p)
	return f.Buffer.Write(p)
}

// The buffer's ReadFrom would bypass the Write above: users write such types.
type hidden struct{ io.Writer }

// TestRandomNests compares copies between random nests with io.Copy: bytes, counts, errors, and the
// limits afterwards.
func TestRandomNests(t *testing.T) {
	file, data := made(t, 150_000)
	for seed := range uint64(80) {
		type result struct {
			n    int64
			err  error
			got  []byte
			left []int64
			pos  int64
		}
		var text string
		run := func(plain bool) (res result) {
			rng := rand.New(rand.NewPCG(seed, 5))
			src, pos := source(t, rng, file, data)
			from := wrapped(src, fmt.Sprintf("%T", src), rng, plain)
			dst, got, counter := destination(t, rng, plain)
			text = fmt.Sprintf("seed %d: %T <- %s", seed, dst, from.text)
			if plain || rng.IntN(2) == 0 {
				res.n, res.err = io.Copy(dst, from.r)
			} else {
				var r zerocopy.Result
				r, res.err = zerocopy.Copy(dst, from.r)
				res.n = r.Total()
			}
			res.got = got()
			for _, l := range from.limits {
				res.left = append(res.left, l.N)
			}
			if pos != nil {
				res.pos = pos()
			}
			if counter != nil && counter.Total() != res.n {
				t.Errorf("%s: the destination counted %d of %d", text, counter.Total(), res.n)
			}
			for _, c := range from.counts {
				if c.Total() < res.n || c.Total() > res.n && res.err == nil {
					t.Errorf("%s: the source counted %d of %d, %v", text, c.Total(), res.n, res.err)
				}
			}
			return res
		}
		want, have := run(true), run(false)
		if have.n != want.n || have.err != want.err || !bytes.Equal(have.got, want.got) {
			t.Errorf("%s: %d bytes (%d arrived), %v; io.Copy: %d (%d), %v",
				text, have.n, len(have.got), have.err, want.n, len(want.got), want.err)
		}
		if want.err == nil && (fmt.Sprint(have.left) != fmt.Sprint(want.left) || have.pos != want.pos) {
			t.Errorf("%s: limits %v, at %d; io.Copy: %v, at %d", text, have.left, have.pos, want.left, want.pos)
		}
	}
}

// source returns a random source, and what shows its position, if anything.
func source(t *testing.T, rng *rand.Rand, file *os.File, data []byte) (io.Reader, func() int64) {
	position := func(s io.Seeker) func() int64 {
		return func() int64 { return must(s.Seek(0, io.SeekCurrent)) }
	}
	switch rng.IntN(6) {
	case 0:
		must(file.Seek(rng.Int64N(100_000), io.SeekStart))
		return file, position(file)
	case 1:
		s := io.NewSectionReader(file, rng.Int64N(100_000), rng.Int64N(200_000))
		must(s.Seek(rng.Int64N(1000), io.SeekStart))
		return s, position(s)
	case 2:
		s := zerocopy.NewSection(file, rng.Int64N(100_000), rng.Int64N(200_000), nil)
		return s, position(s)
	case 3:
		near, far := pair(t, []string{"tcp", "unix"}[rng.IntN(2)])
		go func() {
			far.Write(data)
			far.Close()
		}()
		return near, nil
	case 4:
		return io.MultiReader(bytes.NewReader(data[:1000]), bytes.NewReader(data[1000:])), nil
	}
	return bytes.NewReader(data), nil
}

// destination returns a random destination, what arrived there, and its counter if it has one.
func destination(t *testing.T, rng *rand.Rand, plain bool) (io.Writer, func() []byte, *zerocopy.Counter) {
	c := new(zerocopy.Counter)
	hook := zerocopy.Count(c)
	kind, network, room, wrap := rng.IntN(4), []string{"tcp", "unix"}[rng.IntN(2)], rng.IntN(300_000), rng.IntN(2) == 0
	if plain {
		wrap, c = false, nil
	}
	switch kind {
	case 0, 1:
		near, far := pair(t, network)
		got := drained(far)
		end := func() []byte {
			near.Close()
			return got()
		}
		if wrap {
			return zerocopy.NewConn(near, zerocopy.Hooks{Write: []zerocopy.Hook{hook}}), end, c
		}
		return near, end, nil
	case 2:
		f := must(os.Create(filepath.Join(t.TempDir(), "target")))
		end := func() []byte {
			f.Close()
			return must(os.ReadFile(f.Name()))
		}
		if wrap {
			return zerocopy.NewWriter(f, hook), end, c
		}
		return f, end, nil
	}
	b := &failing{room: room}
	if wrap {
		return zerocopy.NewWriter(hidden{b}, hook), b.Bytes, c
	}
	return hidden{b}, b.Bytes, nil
}

// After a reset by the peer all counts are exact.
func TestResetMidway(t *testing.T) {
	f, _ := made(t, 16<<20)
	near, far := pair(t, "tcp")
	var c zerocopy.Counter
	r := &io.LimitedReader{R: f, N: 1 << 40}
	go func() {
		io.CopyN(io.Discard, far, 1<<20)
		far.(*net.TCPConn).SetLinger(0)
		far.Close()
	}()
	n, err := io.Copy(zerocopy.NewConn(near, zerocopy.Hooks{Write: []zerocopy.Hook{zerocopy.Count(&c)}}), r)
	if err == nil {
		t.Fatal("no error of a connection that was reset")
	}
	if off := must(f.Seek(0, io.SeekCurrent)); c.Total() != n || 1<<40-r.N != n || off != n || n < 1<<20 {
		t.Errorf("%d bytes went, %d counted, the limit lowered by %d, the file at %d", n, c.Total(), 1<<40-r.N, off)
	}
}
