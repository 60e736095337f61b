package copy

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/proc"
	"github.com/thresh-dev/thresh/lab/peer"
	"github.com/thresh-dev/thresh/lab/processes"
)

// otherServer is another program that serves.
type otherServer struct {
	name   string
	cmd    *exec.Cmd
	output bytes.Buffer  // read it only after the end
	ended  chan struct{} // closed at the end
}

// childOther serves target with another program, until the parent closes this process's input.
func childOther(p *program, target string) (err error) {
	temp, err := os.MkdirTemp("", "lab-copy-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	address, err := processes.FreeAddress()
	if err != nil {
		return err
	}
	command, err := p.command(address, target, temp)
	if err != nil {
		return err
	}
	// The signal at the parent's death comes when this thread ends, so nothing else may end it.
	runtime.LockOSThread()
	s := &otherServer{name: p.name, cmd: exec.Command(command[0], command[1:]...), ended: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr, s.cmd.Dir, s.cmd.WaitDelay = &s.output, &s.output, temp, killAfter
	// It stays in this process group, which is killed as a whole if a run takes too long.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	go func() {
		s.cmd.Wait() // ignore the error: it is mostly ended by a signal
		close(s.ended)
	}()
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.awaitListening(address); err != nil {
		return err
	}
	return answerUsage(address, s.used)
}

// listenWithin is how long a program may take until it listens.
const listenWithin = 20 * time.Second

// awaitListening returns when the program listens at an address. It asks the kernel, because a connection to try
// would be one more transfer.
func (s *otherServer) awaitListening(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return err
	}
	for end := time.Now().Add(listenWithin); time.Now().Before(end); {
		table, err := os.ReadFile("/proc/net/tcp")
		if err != nil || listens(string(table), uint16(number)) {
			return err
		}
		select {
		case <-s.ended:
			return s.hasEnded()
		case <-time.After(5 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s does not listen at %s after %v", s.name, address, listenWithin)
}

// listens reports whether there is a listener at a port of 127.0.0.1 in the kernel's table of sockets.
func listens(table string, port uint16) bool {
	for line := range strings.Lines(table) {
		// number, local address, remote address, state, ...
		f := strings.Fields(line)
		const listening = "0A"
		if len(f) > 3 && f[1] == fmt.Sprintf("0100007F:%04X", port) && f[3] == listening {
			return true
		}
	}
	return false
}

func (s *otherServer) hasEnded() error {
	return fmt.Errorf("%s has ended: %v: %s", s.name, s.cmd.ProcessState, peer.FirstLine(s.output.String()))
}

// used returns what the program's processes have used since their start.
func (s *otherServer) used() (u usage, err error) {
	select {
	case <-s.ended:
		return u, s.hasEnded()
	default:
	}
	pids, err := processes.Family(s.cmd.Process.Pid)
	if err != nil {
		return u, err
	}
	for _, pid := range pids {
		one, err := usedBy(pid)
		if err != nil {
			return u, fmt.Errorf("%s, process %d: %w", s.name, pid, err)
		}
		u.UserSeconds, u.SystemSeconds = u.UserSeconds+one.UserSeconds, u.SystemSeconds+one.SystemSeconds
		u.IO = u.IO.plus(one.IO)
	}
	return u, nil
}

// usedBy returns what a process has used. Its processor time comes from its clock, because /proc counts in
// hundredths of a second; only the part that is the user's comes from there.
func usedBy(pid int) (u usage, err error) {
	seconds, err := processes.Seconds(pid)
	if err != nil {
		return u, err
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return u, err
	}
	stat, err := proc.ParseStat(text)
	if err != nil {
		return u, fmt.Errorf("read /proc/%d/stat: %w", pid, err)
	}
	u.UserSeconds = min(stat.User.Seconds(), seconds)
	u.SystemSeconds = seconds - u.UserSeconds
	u.IO, err = readIO(fmt.Sprintf("/proc/%d/io", pid))
	return u, err
}

// stop ends the program and its processes.
func (s *otherServer) stop() error {
	pids, err := processes.Family(s.cmd.Process.Pid)
	if e := s.cmd.Process.Signal(syscall.SIGTERM); !errors.Is(e, os.ErrProcessDone) {
		err = errors.Join(err, e)
	}
	select {
	case <-s.ended: // the master of nginx ends its workers first
		return err
	case <-time.After(killAfter / 2):
	}
	for _, pid := range slices.Backward(pids) {
		if e := unix.Kill(pid, unix.SIGKILL); !errors.Is(e, unix.ESRCH) {
			err = errors.Join(err, e)
		}
	}
	<-s.ended
	return err
}
