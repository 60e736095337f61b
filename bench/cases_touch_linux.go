package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh"
)

// touchRounds is how often a process asks a question and touches the same bytes, in turn.
const touchRounds = 15

// touch compares questions with touching: reading a word of every cache line of the same bytes, in
// the same process and as many workers, in turn. So both sides have the same page faults, folios
// and neighbours, and what is left is the cost of the question itself.
func touch(ctx context.Context, b *bench, name string) error {
	hay, err := b.haystack()
	if err != nil {
		return err
	}
	defer hay.Close()
	log, planted, err := b.logFile()
	if err != nil {
		return err
	}
	defer log.Close()
	feeds, err := occurrences(log, "\n")
	if err != nil {
		return err
	}
	questions := []struct {
		ask  string
		file *subject
		want int64
	}{
		{"lines", log, feeds + unended(log)},
		{"text", log, planted},
		{"nonzero", hay, b.needleOffset()},
	}
	for _, q := range questions {
		for _, where := range []string{"mapped", "memory"} {
			args := []string{childCommand, "touch", q.ask, where, q.file.Name, fmt.Sprint(q.want), strconv.Itoa(b.workers)}
			if err := b.touched(ctx, name, q.ask+", "+where, q.file, args); err != nil {
				return err
			}
		}
	}
	return nil
}

// touched adds a row with the ratios that several processes measure.
func (b *bench) touched(ctx context.Context, name, peer string, file *subject, args []string) error {
	st := warmState(file)
	var asked, touched []float64
	for range b.rounds {
		if err := st.before(); err != nil {
			return err
		}
		out, err := exec.CommandContext(ctx, b.self, args...).Output()
		if err != nil {
			return fmt.Errorf("%v: %w", args, err)
		}
		var ask, touch float64
		if _, err := fmt.Sscan(string(out), &ask, &touch); err != nil {
			return fmt.Errorf("output of touch: %q: %w", out, err)
		}
		asked, touched = append(asked, ask), append(touched, touch)
	}
	b.add(row{Case: name, Peer: peer, What: timesItsRate, Target: atLeast(0.95),
		Number: summarize(ratios(asked, touched)), ThreshRate: medianGB(asked), PeerRate: medianGB(touched)})
	return nil
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
	o := thresh.Options{Workers: workers}
	var got int64
	switch ask {
	case "lines":
		var r thresh.Report
		r, err = thresh.Count(context.Background(), in, thresh.Lines(), o)
		got = r.Hits
	case "text", "nonzero":
		q := thresh.NonZero()
		if ask == "text" {
			if q, err = thresh.Text(planted); err != nil {
				return err
			}
		}
		var hit thresh.Hit
		hit, _, err = thresh.First(context.Background(), in, q, o)
		got = hit.Off
	default:
		return fmt.Errorf("no question %q", ask)
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
	var next atomic.Int64
	var sink atomic.Uint64
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
			sink.Add(sum)
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
