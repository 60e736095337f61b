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

// process is a child process: this program in another role. It writes JSON messages to its standard
// output, and ends when its standard input is closed.
type process struct {
	role   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	out    *json.Decoder
	stderr bytes.Buffer
}

// killAfter is how long a process may take to end before it is killed.
const killAfter = 10 * time.Second

// start starts a process on a CPU, under a tracer if there is one. The process ends with ctx.
func start(ctx context.Context, cpu int, tracer []string, args ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := append(append(tracer[:len(tracer):len(tracer)], self, childCommand), args...)
	p := &process{role: args[0], cmd: exec.CommandContext(ctx, command[0], command[1:]...)}
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

// pinned calls f on a CPU. Processes that f starts stay there: they inherit the CPU set of the
// starting thread.
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

// read waits for the next message of the process.
func (p *process) read(v any) error {
	if err := p.out.Decode(v); err != nil {
		return fmt.Errorf("read the output of the %s process: %w", p.role, err)
	}
	return nil
}

// stop ends the process and waits until it is gone.
func (p *process) stop() error {
	p.stdin.Close() // ignore the error: ctx may have closed it
	err := p.cmd.Wait()
	if text := strings.TrimSpace(p.stderr.String()); err != nil && text != "" {
		return fmt.Errorf("%s process: %w: %s", p.role, err, text)
	}
	return err
}
