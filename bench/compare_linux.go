package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/lab/peer"
)

// contender is one side of a comparison: a command and its expected answer.
type contender struct {
	name   string
	args   []string // including the program
	env    []string // in addition to the bench's own
	status int      // exit status for the right answer

	// answer extracts the answer from standard output; nil means all of it, trimmed.
	answer func(stdout string) (string, error)
	want   string

	// rate returns the rate that the program reports, in bytes per second; nil means the bytes of
	// the comparison divided by the time of the process from start to end.
	rate func(o outcome) (float64, error)

	before func() error // called right before each sample; may be nil

	repeat int    // processes per sample; 0 means one
	target target // for thresh against this contender
	note   string
}

// outcome is the result of a process.
type outcome struct {
	stdout, stderr string
	seconds        float64 // from before its start to its end
	processor      float64 // seconds of processor time, its own and the kernel's for it
}

// exec runs the command and checks its answer.
func (c *contender) exec(ctx context.Context) (o outcome, err error) {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Env = append(os.Environ(), c.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begin := time.Now()
	err = cmd.Run()
	o = outcome{stdout: stdout.String(), stderr: stderr.String(), seconds: time.Since(begin).Seconds()}
	if p := cmd.ProcessState; p != nil {
		o.processor = (p.UserTime() + p.SystemTime()).Seconds()
	}
	return o, c.check(o, err)
}

// check returns an error unless the process ended with the right status and the right answer.
func (c *contender) check(o outcome, err error) error {
	var exit *exec.ExitError
	status := 0
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	if status != c.status {
		return fmt.Errorf("%s: exit status %d, want %d: %s",
			c.name, status, c.status, peer.FirstLine(o.stderr))
	}
	got := strings.TrimSpace(o.stdout)
	if c.answer != nil {
		if got, err = c.answer(o.stdout); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	if got != c.want {
		return fmt.Errorf("%s: wrong answer %q, want %q", c.name, peer.FirstLine(got), c.want)
	}
	return nil
}

// sample runs the contender on that many bytes and returns its rate, in bytes per second.
func (c *contender) sample(ctx context.Context, bytes int64) (float64, error) {
	if c.before != nil {
		if err := c.before(); err != nil {
			return 0, err
		}
	}
	runs := max(1, c.repeat)
	total := 0.0
	for range runs {
		o, err := c.exec(ctx)
		if err != nil {
			return 0, err
		}
		if c.rate != nil {
			return c.rate(o)
		}
		total += o.seconds
	}
	return float64(bytes) * float64(runs) / total, nil
}

// state is the state of the machine in which a sample must be taken.
type state struct {
	before func() error // establishes the state
	after  func() error // returns errLost if the state was lost meanwhile; nil means no check
}

// warmState is the state of a file that was read once, in order, and stays in the page cache. At first
// the file is dropped from the cache: pages that random reads or a mapping brought in are in smaller
// folios, and cost a mapping many more page faults.
func warmState(s *subject) state {
	laid := false
	before := func() error {
		if !laid {
			if err := s.cold(); err != nil {
				return err
			}
			laid = true
		}
		return s.warm()
	}
	return state{before, s.stillWarm}
}

func coldState(s *subject) state { return state{before: s.cold} }

// measure takes samples in turn, A B C A B C, for the rounds of the bench. One more round comes first
// as warm-up and is dropped. It returns the rates by contender and round.
func (b *bench) measure(
	ctx context.Context, st state, bytes int64, sides []contender,
) ([][]float64, error) {
	rates := make([][]float64, len(sides))
	for round := range b.rounds + 1 {
		fmt.Fprintf(b.log, "  round %d of %d\n", round, b.rounds)
		for i := range sides {
			rate, err := sampleIn(ctx, st, bytes, &sides[i])
			if err != nil {
				return nil, err
			}
			if round > 0 {
				rates[i] = append(rates[i], rate)
			}
		}
	}
	return rates, nil
}

// sampleIn takes a sample in the state. If the state was lost during the sample, it takes another one.
func sampleIn(ctx context.Context, st state, bytes int64, c *contender) (float64, error) {
	for try := 0; ; try++ {
		if err := st.before(); err != nil {
			return 0, err
		}
		rate, err := c.sample(ctx, bytes)
		if err == nil && st.after != nil {
			err = st.after()
		}
		if err == nil || !errors.Is(err, errLost) || try == 4 {
			return rate, err
		}
	}
}

// compare measures the sides. The first one is thresh; each other one gets a row.
func (b *bench) compare(
	ctx context.Context, name string, st state, bytes int64, sides ...contender,
) error {
	rates, err := b.measure(ctx, st, bytes, sides)
	if err != nil {
		return err
	}
	wall, err := b.wall(ctx, st, sides[0])
	if err != nil {
		return err
	}
	for i, peer := range sides[1:] {
		b.add(row{
			Case: name, Peer: peer.name, What: timesItsRate,
			Target: peer.target, Note: peer.note, Wall: wall,
			Number:     summarize(ratios(rates[0], rates[i+1])),
			ThreshRate: medianGB(rates[0]), PeerRate: medianGB(rates[i+1]),
		})
	}
	return nil
}

func (b *bench) add(r row) { b.report.Rows = append(b.report.Rows, r.judge()) }

func medianGB(rates []float64) float64 { return summarize(rates).Median / 1e9 }

// wall runs thresh once more, now with a receipt, and returns the wall that it names. The samples run
// without one, because a receipt costs a little.
func (b *bench) wall(ctx context.Context, st state, c contender) (string, error) {
	if err := st.before(); err != nil {
		return "", err
	}
	c.args = append(append([]string{}, c.args...), "--receipt=json")
	o, err := c.exec(ctx)
	if err != nil {
		return "", err
	}
	r, err := parseReceipt(o.stderr)
	return strings.TrimSuffix(r.Wall+": "+r.Verdict, ": "), err
}

// find returns thresh find with these arguments as a contender. It must find offset.
func (b *bench) find(offset int64, args ...string) contender {
	return contender{
		name: "thresh", args: append([]string{b.thresh, "find"}, args...), want: fmt.Sprint(offset),
	}
}
