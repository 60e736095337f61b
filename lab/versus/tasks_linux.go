package versus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/nonzero"
	"github.com/thresh-dev/thresh/lab/donations"
	"github.com/thresh-dev/thresh/lab/needle"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
	"github.com/thresh-dev/thresh/lab/tens"
	"github.com/thresh-dev/thresh/question"
)

// childCommand makes this program run one task as a separate process. So tasks that are not programs
// pay for a process start like the others.
const childCommand = "versus"

// Child runs as a child process if args ask for that, and says with which exit status to end.
func Child(args []string) (handled bool, status int) {
	if len(args) == 0 || args[0] != childCommand {
		return false, 0
	}
	if err := child(args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "thresh-lab:", err)
		return true, 1
	}
	return true, 0
}

// job is a task with its arguments.
type job struct {
	args []string
	in   io.Reader
	out  io.Writer
}

func (j job) number(i int) int {
	n, err := strconv.Atoi(j.args[i])
	if err != nil || n < 0 {
		check(fmt.Errorf("%q is not a number", j.args[i]))
	}
	return n
}

func (j job) bytes(i int) int64 { return int64(j.number(i)) }

func (j job) pids(i int) []int { return try(parsePIDs(j.args[i])) }

// probePause is the pause between two requests of a probe: 500 requests take as long as two sweeps of
// the slow downloads that run at the same time.
const probePause = 4 * time.Millisecond

// child runs a task. PIDS are the processes whose processor time is measured, separated by commas.
func child(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("no task given")
	}
	t, known := tasks[args[0]]
	if !known || t.args != len(args)-1 {
		return fmt.Errorf("unknown task %q", args)
	}
	return ended(func() { check(t.run(job{args[1:], os.Stdin, out})) })
}

// tasks are what a child may do: how many arguments there are, and what then happens.
var tasks = map[string]struct {
	args int
	run  func(j job) error
}{
	// VARIANT FILE WORKERS: prints the offset of the first nonzero word.
	"needle": {3, func(j job) error { return childNeedle(j.out, j.args[0], j.args[1], j.number(2)) }},
	// VARIANT FILE WORKERS: prints how many int32 are 10.
	"tens": {3, func(j job) error { return childTens(j.out, j.args[0], j.args[1], j.number(2)) }},
	// REVISION FILE: prints seconds and answers to the four questions as JSON.
	"donations": {2, func(j job) error { return childDonations(j.out, j.args[0], j.args[1]) }},
	// FILE: decompresses a file and discards the content.
	"gunzip": {1, func(j job) error { return childGunzip(j.args[0]) }},
	// FILE: reads all of the file through the page cache.
	"read": {1, func(j job) error { return childRead(j.out, j.args[0]) }},
	// FILE FILE WORKERS: reads both files with all workers, prints bytes and seconds.
	"read-pair": {3, func(j job) error { return childReadPair(j.out, j.args[:2], j.number(2)) }},
	// ISA FILE WORKERS ROUNDS: minifies a file in memory, with the output of simdjson_minify.
	"minify": {4, func(j job) error { return childMinify(j.out, j.args[0], j.args[1], j.number(2), j.number(3)) }},
	// ASK WHERE FILE WANT WORKERS: asks a question and touches the same bytes in turn, prints both rates.
	"touch": {5, func(j job) error {
		return childTouch(j.out, j.args[0], j.args[1], j.args[2], j.bytes(3), j.number(4))
	}},
	// Keeps a processor busy until standard input ends.
	"spin": {0, func(j job) error { return childSpin(j.in, j.out) }},
	// BYTES: reads its own memory until standard input ends.
	"walk": {1, func(j job) error { return childWalk(j.in, j.out, j.bytes(0)) }},
	// BYTES WORKERS: scans its own memory, prints bytes and seconds.
	"memory": {2, func(j job) error { return childMemory(j.out, j.bytes(0), j.number(1), scanMemory) }},
	// BYTES WORKERS: counts int32 that are 10 in its own memory, prints the same.
	"memory-tens": {2, func(j job) error { return childMemory(j.out, j.bytes(0), j.number(1), tensInMemory) }},

	// Servers, which a signal ends.

	// ADDR FOLDER LOG: serves files with net/http; with a LOG behind a middleware, "" for none.
	"fileserver": {3, func(j job) error { return fileServer(context.Background(), j.args[0], j.args[1], j.args[2]) }},
	// ADDR: sends the requested number of bytes.
	"upstream": {1, func(j job) error { return upstream(context.Background(), j.args[0]) }},
	// ADDR TO: relays connections with a copy loop of 32 KiB.
	"copyrelay": {2, func(j job) error { return copyRelay(context.Background(), j.args[0], j.args[1]) }},
	// ADDR TO MICROS WINDOW: relays connections like a long way, see delayed.
	"delay": {4, func(j job) error {
		oneWay := time.Duration(j.number(2)) * time.Microsecond
		return delayed{to: j.args[1], oneWay: oneWay, window: j.number(3)}.run(j.args[0])
	}},

	// Clients.

	// ADDR PATH RANGES CONNS TIMES PIDS: downloads over many connections; prints work.
	"download": {6, func(j job) error {
		return download{j.args[0], j.args[1], j.args[2], j.number(3), j.number(4), j.pids(5)}.run(j.out)
	}},
	// ADDR PATH ACCEPT TIMES PIDS: reads all pages of a listing; prints work, of entries.
	"list": {5, func(j job) error {
		return listing{j.args[0], j.args[1], j.args[2], j.number(3), j.pids(4)}.run(j.out)
	}},
	// ADDR CONNS BYTES IDLE PIDS: receives bytes through a relay; prints work.
	"stream": {5, func(j job) error {
		return stream{j.args[0], j.number(1), j.bytes(2), j.number(3), false, j.pids(4)}.run(j.out)
	}},
	// The same, and compares the bytes.
	"stream-check": {5, func(j job) error {
		return stream{j.args[0], j.number(1), j.bytes(2), j.number(3), true, j.pids(4)}.run(j.out)
	}},
	// ADDR PATH BYTES COUNT: small requests, one after another; prints latency.
	"probe": {4, func(j job) error { return probe(j.out, j.args[0], j.args[1], j.bytes(2), j.number(3), probePause) }},
	// URL BYTES CONNS RANGE MILLIS: reads an object by ranges of that size; prints work.
	"fetch": {5, func(j job) error {
		most := time.Duration(j.number(4)) * time.Millisecond
		return fetch{j.args[0], j.bytes(1), j.number(2), j.bytes(3), most}.run(context.Background(), j.out)
	}},
	// ADDR PATH FILE CONNS FINISH: many slow downloads, until standard input ends.
	"slow": {5, func(j job) error {
		return slow{j.args[0], j.args[1], j.args[2], j.number(3), j.number(4)}.run(j.in, j.out)
	}},
}

func childNeedle(stdout io.Writer, id, path string, workers int) error {
	v, err := variant(id)
	if err != nil {
		return err
	}
	at, err := v.Search(path, workers)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, at)
	return err
}

func childTens(stdout io.Writer, id, path string, workers int) error {
	for _, v := range tens.Variants() {
		if v.ID != id {
			continue
		}
		if v.Unavailable != "" {
			return fmt.Errorf("tens/%s: %s", id, v.Unavailable)
		}
		n, err := v.Count(path, workers)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(stdout, n)
		return err
	}
	return fmt.Errorf("no variant %q", id)
}

// childDonations prints the answer in the format of the peers' scripts.
func childDonations(stdout io.Writer, id, path string) error {
	for _, r := range donations.Revisions() {
		if r.ID != id {
			continue
		}
		begin := time.Now()
		a, err := r.Answer(path)
		if err != nil {
			return err
		}
		answer, err := json.Marshal(a)
		if err != nil {
			return err
		}
		return json.NewEncoder(stdout).Encode(peer.Timed{Seconds: time.Since(begin).Seconds(), Answer: answer})
	}
	return fmt.Errorf("no revision %q", id)
}

// variant returns the published search with that ID. The error says why it cannot run.
func variant(id string) (needle.Variant, error) {
	for _, v := range needle.Variants() {
		switch {
		case v.ID == id && v.Unavailable != "":
			return v, fmt.Errorf("needle/%s: %s", id, v.Unavailable)
		case v.ID == id:
			return v, nil
		}
	}
	return needle.Variant{}, fmt.Errorf("no variant %q", id)
}

func childRead(stdout io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := pagecache.ReadRange(f, source.Range{Off: 0, End: info.Size()}); err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, info.Size())
	return err
}

// childMemory scans anonymous memory in huge pages with one of thresh's kernels. The memory is
// divided among the workers. The first pass is the warm-up, the second is timed.
func childMemory(stdout io.Writer, bytes int64, workers int, scan func(part []byte) error) error {
	m, err := unix.Mmap(-1, 0, int(bytes),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("mmap of %d bytes: %w", bytes, err)
	}
	if err := unix.Madvise(m, unix.MADV_HUGEPAGE); err != nil {
		return fmt.Errorf("huge pages: %w", err)
	}
	for i := 0; i < len(m); i += os.Getpagesize() {
		m[i] = 1 // a page that is only read would be the shared zero page
		m[i] = 0
	}
	var seconds float64
	for range 2 {
		begin := time.Now()
		if err := divided(m, workers, scan); err != nil {
			return err
		}
		seconds = time.Since(begin).Seconds()
	}
	if _, err := fmt.Fprintln(stdout, bytes, seconds); err != nil {
		return err
	}
	return unix.Munmap(m)
}

// divided scans a part of the memory with each worker.
func divided(m []byte, workers int, scan func(part []byte) error) error {
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		part := m[len(m)/workers*w:]
		if w < workers-1 {
			part = part[:len(m)/workers]
		}
		wg.Go(func() { errs[w] = scan(part) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// scanMemory checks that all bytes are zero.
func scanMemory(part []byte) error {
	if at := nonzero.Best().Index(part); at >= 0 {
		return fmt.Errorf("byte %d of fresh memory is not zero", at)
	}
	return nil
}

// tensInMemory checks that no int32 is 10.
func tensInMemory(part []byte) error {
	t, err := compare.ParseType("i32")
	if err != nil {
		return err
	}
	p, err := compare.Compile(t, []question.Condition{{Op: question.Equal, Value: "10"}})
	if err != nil {
		return err
	}
	if n := p.Count(part); n > 0 {
		return fmt.Errorf("%d numbers of fresh memory are 10", n)
	}
	return nil
}

// parseMemory returns the rate that childMemory printed, in bytes per second.
func parseMemory(stdout string) (float64, error) {
	bytes, seconds, ok := strings.Cut(strings.TrimSpace(stdout), " ")
	n, err := strconv.ParseInt(bytes, 10, 64)
	s, serr := strconv.ParseFloat(seconds, 64)
	if err := errors.Join(err, serr); err != nil || !ok || s <= 0 {
		return 0, fmt.Errorf("output of the memory scan: %q: %w", stdout, err)
	}
	return float64(n) / s, nil
}
