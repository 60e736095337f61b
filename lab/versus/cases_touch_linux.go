package versus

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/options"
)

// touchRounds is how often a process asks a question and touches the same bytes, in turn.
const touchRounds = 15

// touch compares questions with touching: reading a word of every cache line of the same bytes, in
// the same process and as many workers, in turn. So both sides have the same page faults, folios
// and neighbours, and what is left is the cost of the question itself.
func touch(b *bench, hay *pagecache.File) {
	log := b.log()
	for _, q := range []struct {
		ask  string
		file *pagecache.File
		want int64
	}{
		{"lines", log, linesOf(log)},
		{"text", log, find(log, planted)},
		{"nonzero", hay, b.needleOffset()},
	} {
		for _, where := range []string{"mapped", "memory"} {
			ask := b.child("", "", "touch", q.ask, where, q.file.Name, q.want, b.workers)
			st := warmState(q.file)
			var asked, touched []float64
			for range b.Rounds {
				check(st.before())
				out := b.answers(ask)
				var ask, touch float64
				if _, err := fmt.Sscan(out, &ask, &touch); err != nil {
					check(fmt.Errorf("output of touch: %q: %w", out, err))
				}
				asked, touched = append(asked, ask), append(touched, touch)
			}
			b.add(beside(lab.TimesItsRate, contender{name: q.ask + ", " + where, target: lab.AtLeast(0.95)}, asked, touched))
		}
	}
}

// childTouch asks a question and touches the same bytes in turn. Where is "mapped" for a file in the
// page cache, or "memory" for its content in huge pages. It prints the highest rate of each.
func childTouch(stdout io.Writer, ask, where, path string, want int64, workers int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	open := func() (*thresh.Input, error) { return thresh.Open(path) }
	touch := func() error { return touchMapped(f, int(size), workers) }
	if where == "memory" {
		m, err := hugeMemory(int(size))
		if err != nil {
			return err
		}
		if _, err := io.ReadFull(f, m); err != nil {
			return err
		}
		open = func() (*thresh.Input, error) { return thresh.FromBytes(m), nil }
		touch = func() error { touchPieces(m, workers); return nil }
	}
	sides := []func() error{func() error { return answered(open, ask, want, workers) }, touch}
	fastest := []time.Duration{math.MaxInt64, math.MaxInt64}
	for range touchRounds {
		for i, side := range sides {
			begin := time.Now()
			if err := side(); err != nil {
				return err
			}
			fastest[i] = min(fastest[i], time.Since(begin))
		}
	}
	_, err = fmt.Fprintln(stdout, float64(size)/fastest[0].Seconds(), float64(size)/fastest[1].Seconds())
	return err
}

// answered asks about a whole input and checks the answer.
func answered(open func() (*thresh.Input, error), ask string, want int64, workers int) error {
	in, err := open()
	if err != nil {
		return err
	}
	defer in.Close() // nothing was written
	o := options.Scan{Run: options.Run{Workers: workers}}
	got, q := int64(0), thresh.NonZero()
	if ask == "text" {
		if q, err = thresh.Text(planted); err != nil {
			return err
		}
	}
	if ask == "lines" {
		r, cerr := thresh.Count(context.Background(), in, thresh.LineCount(), o)
		got, err = r.Hits, cerr
	} else {
		hit, _, ferr := thresh.First(context.Background(), in, q, o)
		got, err = hit.Off, ferr
	}
	if err == nil && got != want {
		err = fmt.Errorf("%s of %s: got %d, want %d", ask, in.Name(), got, want)
	}
	return err
}

// touchMapped maps a file anew, as a question does, and touches it.
func touchMapped(f *os.File, size, workers int) error {
	m, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("mmap of %s: %w", f.Name(), err)
	}
	touchPieces(m, workers)
	return unix.Munmap(m)
}

// touchPieces touches pieces of 2 MiB, which workers take in ascending order.
func touchPieces(m []byte, workers int) {
	const pieceBytes = 2 << 20
	var next, sink atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			var sum uint64
			for {
				at := int(next.Add(pieceBytes)) - pieceBytes
				if at >= len(m) {
					break
				}
				sum ^= touchLines(m[at:min(at+pieceBytes, len(m))])
			}
			sink.Add(int64(sum))
		})
	}
	wg.Wait()
}

// touchLines reads one word of each cache line; of the last ones, which make no whole group, one byte.
func touchLines(b []byte) (sum uint64) {
	const groupBytes = 512
	var s0, s1 uint64
	for len(b) >= groupBytes {
		g := (*[groupBytes]byte)(b)
		s0 ^= binary.LittleEndian.Uint64(g[0:]) ^ binary.LittleEndian.Uint64(g[64:]) ^
			binary.LittleEndian.Uint64(g[128:]) ^ binary.LittleEndian.Uint64(g[192:])
		s1 ^= binary.LittleEndian.Uint64(g[256:]) ^ binary.LittleEndian.Uint64(g[320:]) ^
			binary.LittleEndian.Uint64(g[384:]) ^ binary.LittleEndian.Uint64(g[448:])
		b = b[groupBytes:]
	}
	for i := 0; i < len(b); i += 64 {
		s0 ^= uint64(b[i])
	}
	return s0 ^ s1
}
