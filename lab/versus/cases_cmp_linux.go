package versus

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

// Of the copy that differs, one byte from firstChange on differs in each changedEvery.
const (
	firstChange  = 1<<20 + 17
	changedEvery = 16 << 10
)

// pairBytes is the size of each file of a pair, at the haystack's own size.
const pairBytes = 1_000_000_000

// original returns the first file of all pairs.
func (b *bench) original() *pagecache.File { return b.copyOf("cmp-original", false) }

// copyOf returns a copy of the original, in which bytes differ or not.
func (b *bench) copyOf(name string, changed bool) *pagecache.File {
	size := b.scaled(pairBytes)
	return b.file(name, size, func(f *os.File) error {
		w := bufio.NewWriterSize(&changing{to: f, changed: changed}, 1<<20)
		if err := random(w, size, [32]byte{38}); err != nil {
			return err
		}
		return w.Flush()
	})
}

// changing changes bytes of what is written through it.
type changing struct {
	to      io.Writer
	changed bool
	off     int64
	buf     []byte
}

func (c *changing) Write(p []byte) (int, error) {
	c.buf = append(c.buf[:0], p...)
	from := c.off
	c.off += int64(len(p))
	at := max(from, int64(firstChange))
	for at += (changedEvery - (at-firstChange)%changedEvery) % changedEvery; c.changed && at < c.off; at += changedEvery {
		c.buf[at-from] ^= 0xFF
	}
	return c.to.Write(c.buf)
}

// changes returns how many bytes differ in a copy of that size.
func changes(size int64) int64 { return max(size-firstChange+changedEvery-1, 0) / changedEvery }

// cmpPair returns thresh cmp and GNU's cmp of two files that are equal.
func (b *bench) cmpPair(one, other *pagecache.File) (thresh, gnu contender) {
	return b.thresh("", "cmp", one.Name, other.Name),
		contender{name: "cmp", args: []string{"cmp", one.Name, other.Name}, target: lab.AtLeast(3)}
}

// cmpEqual compares cached files that are equal, beside cmp and beside reading the same bytes: by own clocks, since the
// limit has no process to start.
func cmpEqual(b *bench) {
	one, other := b.original(), b.copyOf("cmp-equal", false)
	st := warmState(one, other)
	ours, gnu := b.cmpPair(one, other)
	b.compare(st, 2*one.Bytes, ours, gnu)
	ours.args = append(ours.args, "--receipt=json")
	ours.rate = func(o peer.Output) (float64, error) {
		rate, err := byReceipt(o)
		return 2 * rate, err
	}
	reading := b.silentChild("reading both", "read-pair", one.Name, other.Name, b.workers)
	reading.rate = func(o peer.Output) (float64, error) { return parseMemory(o.Stdout) }
	reading.target = lab.AtLeast(0.9)
	b.compare(st, 2*one.Bytes, ours, reading)
}

// cmpEarly compares whole processes on cached files that differ after 1 MiB.
func cmpEarly(b *bench) {
	one, other := b.original(), b.copyOf("cmp-changed", true)
	args := []string{one.Name, other.Name}
	want := fmt.Sprint(firstChange)
	const processes = 60
	gnu := contender{name: "cmp", args: append([]string{"cmp"}, args...), status: 1, answer: peer.ParseCmp, want: want,
		repeat: processes}
	ours := gnu
	ours.name, ours.args = "thresh", append([]string{b.Thresh, "cmp"}, args...)
	rates := b.measure(warmState(one, other), 1, ours, gnu)
	gnu.note = fmt.Sprintf("%.2f ms a process, cmp %.2f ms", medianMillis(rates[0]), medianMillis(rates[1]))
	b.add(beside(lab.TimesItsTime, gnu, rates[0], rates[1]))
}

// allDiffer matches the last line of thresh cmp --all.
var allDiffer = regexp.MustCompile(`(?m)^.* differ: (\d+) bytes in \d+ ranges$`)

// cmpAll compares files that differ in many places, beside cmp -l.
func cmpAll(b *bench) {
	one, other := b.original(), b.copyOf("cmp-changed", true)
	want := fmt.Sprint(changes(one.Bytes))
	ours := b.thresh(want, "cmp", "--all", one.Name, other.Name)
	ours.status = 1
	ours.answer = func(stdout string) (string, error) {
		found := allDiffer.FindStringSubmatch(stdout)
		if found == nil {
			return "", fmt.Errorf("no number of bytes in %.200q", stdout)
		}
		return found[1], nil
	}
	gnu := contender{name: "cmp -l | wc -l", args: []string{"sh", "-c", `cmp -l "$0" "$1" | wc -l`, one.Name, other.Name},
		want: want, target: lab.AtLeast(3)}
	b.compare(warmState(one, other), 2*one.Bytes, ours, gnu)
}

// cmpCold compares files that are not cached, beside direct reads by fio of one of them: both are on one disk.
func cmpCold(b *bench) {
	one, other := b.original(), b.copyOf("cmp-equal", false)
	ours, gnu := b.cmpPair(one, other)
	b.compare(coldState(one, other), 2*one.Bytes, ours, b.fiosBest(one), gnu.as("cmp", lab.AtLeast(1), ""))
}

// treeChangedEvery is the distance of the files of a tree that differ from those of its changed copy.
const treeChangedEvery = 999

// treeDiffers matches a file that differs, as thresh cmp -r and diff -rq print it.
var treeDiffers = regexp.MustCompile(`(?m)(?:^C |/)(\d+/\d+\.log)(?: differ)?$`)

// cmpTree compares two trees of small cached files, beside diff -rq, and checks which files were found to differ.
func cmpTree(b *bench) {
	one, other := b.tree(), b.treeOf("tree-changed", true)
	var want []string
	for i := 0; i < treeFiles; i += treeChangedEvery {
		want = append(want, treeFile(i))
	}
	slices.Sort(want)
	ours := b.thresh(strings.Join(want, " "), "cmp", "-r", one, other)
	ours.status = 1
	ours.answer = func(stdout string) (string, error) {
		var names []string
		for _, found := range treeDiffers.FindAllStringSubmatch(stdout, -1) {
			names = append(names, found[1])
		}
		return strings.Join(names, " "), nil
	}
	theirs := ours
	theirs.name, theirs.args, theirs.target = "diff -rq", []string{"diff", "-rq", one, other}, lab.AtLeast(1)
	cached := state{before: func() error {
		return errors.Join(treeState(one, readFile).before(), treeState(other, readFile).before())
	}}
	b.compare(cached, 2*treeFiles*treeFileBytes, ours, theirs)
}

// childReadPair reads two files with all workers, mapped and then with reads into memory that stays in a core's second
// cache, and prints how much, and the seconds of the faster way.
func childReadPair(stdout io.Writer, names []string, workers int) error {
	var files [2]*os.File
	var bytes int64
	for i, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close() // nothing was written
		info, err := f.Stat()
		if err != nil {
			return err
		}
		files[i] = f
		bytes += info.Size()
	}
	fastest := time.Duration(1<<63 - 1)
	for _, read := range []func(f *os.File, size, workers int) error{touchMapped, touchRead} {
		began := time.Now()
		for _, f := range files {
			if err := read(f, int(bytes/2), workers); err != nil {
				return err
			}
		}
		fastest = min(fastest, time.Since(began))
	}
	_, err := fmt.Fprintln(stdout, bytes, fastest.Seconds())
	return err
}

// touchRead reads a file into the workers' own memory, and touches that.
func touchRead(f *os.File, size, workers int) error {
	const blockBytes = 512 << 10
	var next, sink atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, workers)
	for i := range workers {
		wg.Go(func() {
			m := make([]byte, blockBytes)
			for {
				at := next.Add(blockBytes) - blockBytes
				n := min(int64(size)-at, blockBytes)
				if n <= 0 || errs[i] != nil {
					return
				}
				_, errs[i] = f.ReadAt(m[:n], at)
				sink.Add(int64(touchLines(m[:n])))
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
