package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// interruptCase is a question whose run is interrupted.
type interruptCase struct {
	args string
	// mark is what standard output holds of an unfinished answer and never of a finished one; "" if such an answer is
	// nothing, and then standard output is empty. Of streams, "prefix": what is printed is the beginning of the answer.
	mark string
}

const prefix = "prefix"

var interruptCases = []interruptCase{
	{"count --lines", ""}, {"count --lines --words --chars", ""}, {"count --rows --json", `"complete":false`},
	{"count --text 7 --json", `"complete":false`}, {"count --lines --words --json", `"complete":false`},
	{"count --type u8 --stats", ""}, {"count --type u8 --stats --json", `"complete":false`}, {"count --histogram", ""},
	{"count --histogram --json", `"complete":false`}, {"find --text 17 --all", prefix},
	{"find --text nowhere", ""}, {"find --text nowhere --json", `"complete":false`}, {"grep 17", prefix}, {"grep -c 17", ""},
	{"grep -L nowhere", ""}, {"grep --per-pattern 17", ""}, {"grep --per-pattern --json 17", ""},
	{"table --rows", ""}, {"table --group 1[:1]", ""}, {"table --group 1[:1] --format json", ""},
	{"table --group 1[:1] --json", `"complete":false`}, {"table --agg sum(1) --format arrow", ""},
	{"table --agg max(1) --format parquet", ""}, {"table --agg p50(1) --format table", ""}, {"table --columns", ""},
	{"table --sample 3", ""}, {"table --nth 3:1", ""}, {"table --top 2:1", ""}, {"table --select 1", prefix},
	{"minify --trust", prefix}, {"minify --ndjson", prefix}, {"blank --pattern 31", "interrupted at"},
	{"blank --json", `"result":"incomplete"`},
}

// interruptText has lines that are records, values of JSON and texts at once.
func interruptText(lines int) []byte {
	var b bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&b, "%d\n", 10+i%90)
	}
	return b.Bytes()
}

// TestInterrupts interrupts every verb at random moments: while it reads a stream, and exactly as the stream ends, which
// is when the key of a terminal also ends the program that writes it. The exit status and standard output agree with
// what was read: an answer without a mark is that to all of the input, and its status is not that of an interrupt.
func TestInterrupts(t *testing.T) {
	heedSignals(t)
	r := rand.New(rand.NewPCG(9, 1))
	text := interruptText(3000)
	for _, c := range interruptCases {
		want, status := interruptRun(t, c.args+" -", text, nil)
		if status > command.Nothing || c.mark != "" && strings.Contains(want, c.mark) {
			t.Fatalf("%s, not interrupted: status %d, %q", c.args, status, want)
		}
		for range rounds.Of(5) {
			part := text[:r.IntN(len(text)/2)]
			if r.IntN(3) == 0 {
				part = nil
			}
			wait := time.Duration(r.IntN(30)) * time.Millisecond
			got, status := interruptRun(t, c.args+" -", part, &wait)
			checkInterrupted(t, c, want, got, status)
		}
	}
}

// TestInterruptedMessages: the messages of lines have no last one for an input that was interrupted in its middle: its
// figures would be taken for those of all of it.
func TestInterruptedMessages(t *testing.T) {
	heedSignals(t)
	cmd := exec.Command("thresh", "grep", "--json", "17", "-")
	in, err := cmd.StdinPipe()
	must(t, err)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	must(t, cmd.Start())
	_, err = in.Write(interruptText(3000))
	must(t, err)
	time.Sleep(100 * time.Millisecond) // until signals are caught
	must(t, cmd.Process.Signal(os.Interrupt))
	err = cmd.Wait() // the input has not ended
	got := stdout.String()
	status := cmd.ProcessState.ExitCode()
	if status != command.Interrupted || !strings.Contains(got, `"match"`) || strings.Contains(got, `"type":"end"`) {
		t.Errorf("%v: %.300q", err, got)
	}
}

// TestInterruptsOfFiles: a file does not end because of a signal, so an answer that was complete by then has the status of
// one.
func TestInterruptsOfFiles(t *testing.T) {
	heedSignals(t)
	r := rand.New(rand.NewPCG(9, 2))
	name := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(name, interruptText(2_000_000), 0o600))
	for _, c := range interruptCases {
		args := c.args + " --workers 1 " + name
		if strings.HasPrefix(c.args, "blank") {
			args = c.args + " " + name
		}
		began := time.Now()
		want, whole := interruptRun(t, args, nil, nil)
		took := time.Since(began)
		for range rounds.Of(3) {
			wait := time.Duration(r.Int64N(int64(took) * 5 / 4))
			got, status := interruptRun(t, args, nil, &wait)
			if got == want && status == -int(syscall.SIGINT) { // after the answer
				continue
			}
			if status != whole {
				checkInterrupted(t, c, want, got, status)
			} else if got != want && c.args != "blank --json" { // which has times
				t.Errorf("%s, status %d: %.300q, want %.300q", args, status, got, want)
			}
		}
	}
}

// checkInterrupted checks the answer to a part of the input, which was then cut off by a signal.
func checkInterrupted(t *testing.T, c interruptCase, want, got string, status int) {
	t.Helper()
	switch {
	case status != command.Interrupted && status != -int(syscall.SIGINT):
		t.Errorf("%s: interrupted, and the status is %d: %q", c.args, status, got)
	case c.mark == prefix && !strings.HasPrefix(want, got), c.mark == "" && got != "":
		t.Errorf("%s, status %d: an unfinished answer without a mark: %q", c.args, status, got)
	case c.mark != prefix && got != "" && !strings.Contains(got, c.mark):
		t.Errorf("%s, status %d: an unfinished answer without %s: %q", c.args, status, c.mark, got)
	}
}

// interruptRun runs a question on a pipe. With a time to wait, the run gets SIGINT after it, and then the pipe ends.
// The status is negative if a signal killed it.
func interruptRun(t *testing.T, args string, text []byte, wait *time.Duration) (out string, status int) {
	t.Helper()
	cmd := exec.Command("thresh", strings.Fields(args)...)
	in, err := cmd.StdinPipe()
	must(t, err)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	must(t, cmd.Start())
	if _, err := in.Write(text); err != nil && !errors.Is(err, syscall.EPIPE) {
		t.Fatal(err)
	}
	if wait != nil {
		time.Sleep(*wait)
		must(t, cmd.Process.Signal(os.Interrupt))
	}
	if err := in.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if w := cmd.ProcessState.Sys().(syscall.WaitStatus); w.Signaled() {
		return stdout.String(), -int(w.Signal())
	}
	return stdout.String(), cmd.ProcessState.ExitCode()
}
