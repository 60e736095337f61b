package versus

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/kernel/minify"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/gen"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

// minifyFileBytes is a size for which jq takes most of a minute.
const minifyFileBytes = 500_000_000

// writing returns a contender whose answer is the file that it writes.
func writing(out, want string, args ...string) contender {
	return contender{name: "thresh", args: args, want: want, answer: func(string) (string, error) {
		sum, err := fileSum(out)
		return sum, errors.Join(err, os.Remove(out))
	}}
}

// fileSum returns the checksum of a file without a line feed at its end, which jq adds.
func fileSum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close() // read only
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	n, last := info.Size(), []byte{0}
	if n > 0 {
		if _, err := f.ReadAt(last, n-1); err != nil {
			return "", err
		}
	}
	if last[0] == '\n' {
		n--
	}
	sum := sha256.New()
	_, err = io.Copy(sum, io.LimitReader(f, n))
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// sumOf is the fileSum of a text.
func sumOf(text []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(bytes.TrimSuffix(text, []byte("\n"))))
}

// outputBeside returns the name of a file beside another one.
func outputBeside(file *pagecache.File, name string) string {
	return filepath.Join(filepath.Dir(file.Name), name)
}

// minifies returns thresh minify, without validation, and with one worker.
func (b *bench) minifies(file *pagecache.File, out, want string, flags ...string) []contender {
	side := func(more ...string) contender {
		args := append([]string{b.Thresh, "minify", "-o", out, file.Name}, flags...)
		return writing(out, want, append(args, more...)...)
	}
	sides := []contender{side(), side("--trust").as("thresh --trust", lab.AtLeast(0.9), "")}
	if b.workers > 1 {
		sides = append(sides, side("--workers", "1").as("thresh --workers 1", lab.AtLeast(1.7), ""))
	}
	return sides
}

// minifyFile minifies a file to another, new file. It compares with jq, and measures own memory. The file was
// written by jq, so that jq does not change the numbers when it reads it again.
func minifyFile(b *bench) {
	size := b.scaled(minifyFileBytes)
	file := try(b.data.rows(fmt.Sprintf("pretty-%d", size), size+size/4, func(path string) error {
		raw := path + ".raw"
		err := written(func(f *os.File) error { return gen.JSON(f, size, tableSeed) })(raw)
		if err == nil {
			cmd := exec.CommandContext(b.ctx, "sh", "-c", `jq . "$0" > "$1" && sync "$1"`, raw, path)
			cmd.Stderr = os.Stderr
			err = cmd.Run()
		}
		return errors.Join(err, os.Remove(raw))
	}))
	want, out := sumOf(simpleMinified(try(os.ReadFile(file.Name)))), outputBeside(file, "minified")
	ours := b.minifies(file, out, want)
	jq := writing(out, want, "sh", "-c", `exec jq -c . "$0" > "$1"`, file.Name, out).as("jq -c", lab.AtLeast(8), "")
	b.compare(warmState(file), file.Bytes, append([]contender{ours[0], jq}, ours[1:]...)...)
	b.memory("own memory", warmState(file), ours[0], noInput)
}

// minifyLines minifies values that lie one to a line, and validates them.
func minifyLines(b *bench) {
	size := b.scaled(minifyFileBytes)
	file := b.rows(fmt.Sprintf("orders-%d.ndjson", size), size, func(w io.Writer) error {
		return gen.NDJSON(w, size, tableSeed)
	})
	var kept bytes.Buffer
	for line := range bytes.Lines(try(os.ReadFile(file.Name))) {
		check(json.Compact(&kept, bytes.TrimSuffix(line, []byte("\n"))))
		kept.WriteByte('\n')
	}
	out := outputBeside(file, "minified")
	b.compare(warmState(file), file.Bytes, b.minifies(file, out, sumOf(kept.Bytes()), "--ndjson")...)
}

// simpleMinified returns a text without the white space outside strings.
func simpleMinified(text []byte) (kept []byte) {
	kept = text[:0]
	inString, escaped := false, false
	for _, c := range text {
		if inString || !strings.ContainsRune(" \t\r\n", rune(c)) {
			kept = append(kept, c)
		}
		inString, escaped = inString != (c == '"' && !escaped), c == '\\' && !escaped
	}
	return kept
}

// minifyRounds is how often a process minifies. Its fastest round counts.
const minifyRounds = 15

// minifyMemory compares the kernel, in memory, with simdjson on the same instruction set, and two
// cores with one.
func minifyMemory(b *bench) {
	size := b.scaled(200_000_000)
	file := b.rows(fmt.Sprintf("pretty-%d.json", size), size, func(w io.Writer) error {
		return gen.JSON(w, size, tableSeed)
	})
	var compact bytes.Buffer
	check(json.Compact(&compact, try(os.ReadFile(file.Name))))
	side := func(c contender) contender {
		c.want = minifiedAnswer(compact.Bytes())
		c.answer = func(stdout string) (string, error) { m, err := parseMinified(stdout); return m.answer, err }
		c.rate = func(o peer.Output) (float64, error) { m, err := parseMinified(o.Stdout); return m.rate, err }
		return c
	}
	ours := func(name string, isa cpu.ISA, workers int) contender {
		return side(b.child(name, "", "minify", isa, file.Name, workers, minifyRounds))
	}
	// There is no receipt to name a wall.
	row := func(ours, peer contender, least float64) {
		rates := b.measure(warmState(file), file.Bytes, ours, peer)
		b.add(beside(lab.TimesItsRate, peer.as(peer.name, lab.AtLeast(least), ours.name), rates[0], rates[1]))
	}
	if best := minify.Best().ISA; b.workers > 1 {
		row(ours(best.String()+", two cores", best, 2), ours("one core", best, 1), 1.6)
	}
	program := peer.Installed("simdjson_minify")
	if peer.Missing(program) != "" {
		b.skip("simdjson_minify is not installed; make bench-setup builds it")
		return
	}
	for isa, theirs := range map[cpu.ISA]string{cpu.AVX512VBMI2: "icelake", cpu.AVX2: "haswell"} {
		if !cpu.Has(isa) {
			b.skip(isa.String() + " cannot run here")
			continue
		}
		args := []string{program, theirs, file.Name, fmt.Sprint(minifyRounds)}
		simdjson := contender{name: "simdjson " + theirs, args: args}
		row(ours(isa.String(), isa, 1), side(simdjson), 1.1)
	}
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

func parseMinified(stdout string) (minified, error) {
	var bytes, seconds float64
	var length, sum string
	if n, err := fmt.Sscan(stdout, &bytes, &seconds, &length, &sum); n != 4 || seconds <= 0 {
		return minified{}, fmt.Errorf("output of minify in memory: %q: %w", peer.FirstLine(stdout), err)
	}
	return minified{bytes / seconds, length + " " + sum}, nil
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
