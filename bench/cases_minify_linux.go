package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/kernel/minify"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/lab/gen"
	"github.com/thresh-dev/thresh/lab/peer"
)

// minifyRounds is how often a process minifies. Its fastest round counts.
const minifyRounds = "15"

// minifyMemory compares the kernel, in memory, with simdjson on the same instruction set, and two
// cores with one.
func minifyMemory(ctx context.Context, b *bench, name string) error {
	size := b.scaled(200_000_000)
	file, err := b.tableFile(fmt.Sprintf("pretty-%d.json", size), size, func(w io.Writer) error {
		return gen.JSON(w, size, tableSeed)
	})
	if err != nil {
		return err
	}
	defer file.Close()
	want, err := compacted(file.Name)
	if err != nil {
		return err
	}
	side := func(name string, target target, args ...string) contender {
		return contender{
			name: name, args: append(args, minifyRounds), want: want, target: target,
			answer: func(stdout string) (string, error) { m, err := parseMinified(stdout); return m.answer, err },
			rate:   func(o outcome) (float64, error) { m, err := parseMinified(o.stdout); return m.rate, err },
		}
	}
	ours := func(name string, target target, isa cpu.ISA, workers string) contender {
		return side(name, target, b.self, childCommand, "minify", isa.String(), file.Name, workers)
	}
	if b.workers > 1 {
		best := minify.Best().ISA
		two := ours(best.String()+", two cores", target{}, best, "2")
		if err := b.kernels(ctx, name, file, two, ours("one core", atLeast(1.6), best, "1")); err != nil {
			return err
		}
	}
	program := filepath.Join(filepath.Dir(b.data.folder), "simdjson_minify")
	if _, err := exec.LookPath(program); err != nil {
		b.skip(name, "simdjson_minify is not installed; make bench-setup builds it")
		return nil
	}
	for isa, theirs := range map[cpu.ISA]string{cpu.AVX512VBMI2: "icelake", cpu.AVX2: "haswell"} {
		if !cpu.Has(isa) {
			b.skip(name, isa.String()+" cannot run here")
			continue
		}
		peer := side("simdjson "+theirs, atLeast(1.1), program, theirs, file.Name)
		if err := b.kernels(ctx, name, file, ours(isa.String(), target{}, isa, "1"), peer); err != nil {
			return err
		}
	}
	return nil
}

// kernels adds a row that compares a kernel with a peer. There is no receipt to name a wall.
func (b *bench) kernels(ctx context.Context, name string, file *subject, ours, peer contender) error {
	rates, err := b.measure(ctx, warmState(file), file.Bytes, []contender{ours, peer})
	if err != nil {
		return err
	}
	b.add(row{
		Case: name, Peer: peer.name, What: timesItsRate, Target: peer.target, Note: ours.name,
		Number:     summarize(ratios(rates[0], rates[1])),
		ThreshRate: medianGB(rates[0]), PeerRate: medianGB(rates[1]),
	})
	return nil
}

// compacted returns the answer of encoding/json.
func compacted(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return "", err
	}
	return minifiedAnswer(compact.Bytes()), nil
}

// minifiedAnswer returns the length of the minified text and its hash.
func minifiedAnswer(kept []byte) string {
	hash := fnv.New64a()
	hash.Write(kept)
	return fmt.Sprintf("%d %016x", len(kept), hash.Sum64())
}

// minified is the output of childMinify and of simdjson_minify: bytes, seconds, answer.
type minified struct {
	rate   float64
	answer string
}

func parseMinified(stdout string) (m minified, err error) {
	fields := strings.Fields(stdout)
	if len(fields) != 4 {
		return m, fmt.Errorf("output of minify in memory: %q", peer.FirstLine(stdout))
	}
	bytes, err := strconv.ParseFloat(fields[0], 64)
	seconds, serr := strconv.ParseFloat(fields[1], 64)
	if err := errors.Join(err, serr); err != nil || seconds <= 0 {
		return m, fmt.Errorf("output of minify in memory: %q: %w", peer.FirstLine(stdout), err)
	}
	return minified{bytes / seconds, fields[2] + " " + fields[3]}, nil
}

// childMinify minifies a file in memory for several rounds. One worker uses the kernel variant of
// that name, several use the best one.
func childMinify(stdout io.Writer, isa, path string, workers, rounds int) error {
	var k minify.Kernel
	for _, v := range minify.Variants() {
		if v.ISA.String() == isa {
			k = v.Func
		}
	}
	if k.Minify == nil {
		return fmt.Errorf("minify has no variant %q", isa)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	src, err := hugeMemory(len(text))
	dst, derr := hugeMemory(len(text))
	if err := errors.Join(err, derr); err != nil {
		return err
	}
	copy(src, text)
	fastest, kept := time.Duration(1<<62), 0
	for range rounds {
		begin := time.Now()
		if workers == 1 {
			kept, _ = k.Minify(dst, src, minify.State{})
		} else {
			kept = len(thresh.AppendMinifiedParallel(dst[:0], src, workers))
		}
		fastest = min(fastest, time.Since(begin))
	}
	_, err = fmt.Fprintf(stdout, "%d %.9f %s\n", len(src), fastest.Seconds(), minifiedAnswer(dst[:kept]))
	return errors.Join(err, unix.Munmap(src), unix.Munmap(dst))
}

// hugeMemory returns memory in huge pages.
func hugeMemory(bytes int) ([]byte, error) {
	m, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("mmap of %d bytes: %w", bytes, err)
	}
	return m, unix.Madvise(m, unix.MADV_HUGEPAGE)
}
