package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ownMemoryMax is the limit for thresh's own memory, in MiB.
const ownMemoryMax = 64

// watch runs the command with that standard input. It returns the highest sampled amount of the
// process's own memory, in bytes, and the number of samples. The kernel keeps no such maximum: its
// peak of resident memory includes the pages of mapped files. So watch takes a sample every half
// millisecond, and may miss a shorter peak.
func watch(ctx context.Context, c contender, stdin io.Reader) (peak int64, looks int, err error) {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &stdout, &stderr
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	status := "/proc/" + strconv.Itoa(cmd.Process.Pid) + "/status"
	for {
		select {
		case err := <-ended:
			o := outcome{stdout: stdout.String(), stderr: stderr.String()}
			if err = c.check(o, err); err == nil && looks == 0 {
				err = fmt.Errorf("%s ended before its memory could be sampled", c.name)
			}
			return peak, looks, err
		case <-time.After(500 * time.Microsecond):
		}
		own, err := ownMemoryOf(status)
		if err != nil {
			return 0, 0, errors.Join(err, cmd.Process.Kill(), <-ended)
		}
		if own > 0 {
			looks++
			peak = max(peak, own)
		}
	}
}

// ownMemoryOf returns a process's own memory, 0 if the process has ended.
func ownMemoryOf(status string) (int64, error) {
	text, err := os.ReadFile(status)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	own, err := parseOwnMemory(string(text))
	if errors.Is(err, errNoMemory) {
		return 0, nil
	}
	return own, err
}

// memory adds a row with the peak memory of several runs.
func (b *bench) memory(
	ctx context.Context, name, peer string, st state, c contender, stdin func() io.Reader,
) error {
	var peaks []float64
	fewest := math.MaxInt
	for range min(b.rounds, 3) {
		if err := st.before(); err != nil {
			return err
		}
		peak, looks, err := watch(ctx, c, stdin())
		if err != nil {
			return err
		}
		fewest = min(fewest, looks)
		peaks = append(peaks, float64(peak)/(1<<20))
	}
	number := summarize(peaks)
	number.Median = number.High // the worst run counts
	b.add(row{
		Case: name, Peer: peer, What: ownMiB, Number: number, Target: atMost(ownMemoryMax),
		Note: fmt.Sprintf("the highest peak counts; at least %d samples per run", fewest),
	})
	return nil
}

func noInput() io.Reader { return nil }

// memoryFile measures with the cached file, which is mapped, and with the uncached file, which is
// read with direct reads.
func memoryFile(ctx context.Context, b *bench, name string) error {
	hay, err := b.haystack()
	if err != nil {
		return err
	}
	defer hay.Close()
	c := b.find(b.needleOffset(), "--nonzero", hay.Name)
	if err := b.memory(ctx, name, "cached", warmState(hay), c, noInput); err != nil {
		return err
	}
	return b.memory(ctx, name, "not cached", coldState(hay), c, noInput)
}

// memoryPipe sends the zeros of a haystack through a pipe, followed by a one.
func memoryPipe(ctx context.Context, b *bench, name string) error {
	anything := state{before: func() error { return nil }}
	stdin := func() io.Reader {
		return io.MultiReader(io.LimitReader(zeros{}, b.size), strings.NewReader("\x01"))
	}
	return b.memory(ctx, name, "a pipe", anything, b.find(b.size, "--nonzero", "-"), stdin)
}

// zeros is a reader of endless zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// memoryLine searches a line that is longer than any buffer: the hole of a sparse file, with a
// match at its end.
func memoryLine(ctx context.Context, b *bench, name string) error {
	const end = "owner=481516234\n"
	size := b.scaled(10_000_000_000)
	line, err := b.longLine(size, end)
	if err != nil {
		return err
	}
	defer line.Close()
	at := size - int64(len(end))
	for _, re := range []string{`owner=[0-9]{9}`, `[a-z]{5}=[0-9]{9}`} {
		c := b.find(at, "--regex", re, line.Name)
		if err := b.memory(ctx, name, "--regex "+re, coldState(line), c, noInput); err != nil {
			return err
		}
	}
	return nil
}
