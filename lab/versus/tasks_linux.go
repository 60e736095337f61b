package versus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
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
