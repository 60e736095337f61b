package copy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/proc"
)

// childCommand is the argument that makes a program act as one of the child processes.
const childCommand = "lab-copy-child"

// Child runs as a child process of a variant if args, the program's arguments, ask for that. A program
// that runs variants must call Child first, and exit with its status if it handled the arguments.
//
// A child process ends when its standard input is closed. So it ends with its parent at the
// latest, however the parent ends, and even if strace is in between.
func Child(args []string) (handled bool, status int) {
	if len(args) < 2 || args[0] != childCommand {
		return false, 0
	}
	var err error
	switch args = args[1:]; {
	case len(args) == 3 && args[0] == "serve":
		err = childServe(args[1], args[2])
	case len(args) == 2 && args[0] == "fetch":
		err = childFetch(args[1])
	default:
		err = fmt.Errorf("unknown child command %q", args)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return true, 1
	}
	return true, 0
}

// started is the first message of a server.
type started struct{ Address string }

// usage is a server's answer to each line that it reads: its resource use and errors since its start.
type usage struct {
	UserSeconds, SystemSeconds float64
	IO                         ioCounts
	Errors                     []string
}

// childServe serves target with a variant.
func childServe(id, target string) error {
	v, err := find(id)
	if err != nil {
		return err
	}
	if v.other != nil {
		return childOther(v.other, target)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var failures errorList
	go func() {
		err := v.serve(l, target, failures.add) // a server only returns if it failed
		failures.add(errors.Join(err, l.Close()))
	}()
	return answerUsage(l.Addr().String(), func() (usage, error) {
		u, err := used()
		u.Errors = failures.all()
		return u, err
	})
}

// answerUsage tells the parent where the server listens, and answers each line that the parent writes by what the
// server has used.
func answerUsage(address string, used func() (usage, error)) error {
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(started{address}); err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		u, err := used()
		if err != nil {
			return err
		}
		if err := out.Encode(u); err != nil {
			return err
		}
	}
	return lines.Err()
}

// errorList collects the errors of a server. It is safe for concurrent use.
type errorList struct {
	mu   sync.Mutex
	text []string
}

func (l *errorList) add(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, err.Error())
}

func (l *errorList) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text[:len(l.text):len(l.text)]
}

// used returns the resource use of this process since its start.
func used() (usage, error) {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return usage{}, fmt.Errorf("getrusage: %w", err)
	}
	counts, err := readIO("/proc/self/io")
	return usage{UserSeconds: float64(r.Utime.Nano()) / 1e9, SystemSeconds: float64(r.Stime.Nano()) / 1e9, IO: counts}, err
}

// readIO reads the I/O counters of a process.
func readIO(path string) (ioCounts, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return ioCounts{}, err
	}
	io, err := proc.ParseIO(text)
	if err != nil {
		return ioCounts{}, fmt.Errorf("read %s: %w", path, err)
	}
	return ioCounts{io.ReadCalls, io.WriteCalls, io.ReadChars, io.WriteChars}, nil
}

func (i ioCounts) plus(j ioCounts) ioCounts { return i.minus(ioCounts{}.minus(j)) }

func (i ioCounts) minus(j ioCounts) ioCounts {
	return ioCounts{
		ReadCalls: i.ReadCalls - j.ReadCalls, WriteCalls: i.WriteCalls - j.WriteCalls,
		ReadBytes: i.ReadBytes - j.ReadBytes, WriteBytes: i.WriteBytes - j.WriteBytes,
	}
}

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
