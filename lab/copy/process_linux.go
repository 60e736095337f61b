package copy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// process is this program at one of its other works. It speaks JSON on its standard output,
// and ends when its standard input does.
type process struct {
	work   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	out    *json.Decoder
	stderr bytes.Buffer
}

// killAfter is how long a process may take to end by itself.
const killAfter = 10 * time.Second

// start starts a process on a CPU, behind a tracer if there is one. The end of ctx ends it.
func start(ctx context.Context, cpu int, tracer []string, work ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := append(append(tracer[:len(tracer):len(tracer)], self, childCommand), work...)
	p := &process{work: work[0], cmd: exec.CommandContext(ctx, command[0], command[1:]...)}
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.stdin, p.out, p.cmd.Stderr = stdin, json.NewDecoder(stdout), &p.stderr
	p.cmd.Cancel, p.cmd.WaitDelay = stdin.Close, killAfter
	if err := pinned(cpu, p.cmd.Start); err != nil {
		return nil, fmt.Errorf("start %s: %w", command[0], err)
	}
	return p, nil
}

// pinned calls f on a CPU. What f starts stays there: a process inherits the CPUs of the
// thread that starts it.
func pinned(cpu int, f func() error) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, only unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return fmt.Errorf("sched_getaffinity: %w", err)
	}
	only.Set(cpu)
	if err := unix.SchedSetaffinity(0, &only); err != nil {
		return fmt.Errorf("sched_setaffinity to CPU %d: %w", cpu, err)
	}
	defer func() { err = errors.Join(err, unix.SchedSetaffinity(0, &before)) }()
	return f()
}

// read waits for the next thing that the process says.
func (p *process) read(v any) error {
	if err := p.out.Decode(v); err != nil {
		return fmt.Errorf("%s process says nothing: %w", p.work, err)
	}
	return nil
}

// stop ends the process and waits until it is gone.
func (p *process) stop() error {
	p.stdin.Close() // it may have been closed by the context
	err := p.cmd.Wait()
	if text := strings.TrimSpace(p.stderr.String()); err != nil && text != "" {
		return fmt.Errorf("%s process: %w: %s", p.work, err, text)
	}
	return err
}
