package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// stalledPatience is how long a stalled command may take, on however busy a machine.
	stalledPatience = 2 * time.Minute
	// stalledWaits is how often, every stalledEvery, the command must be found waiting before it gets its
	// signal: for more of its input for half a second, longer than it waits for the head of a file.
	stalledWaits = 100
	stalledEvery = 5 * time.Millisecond
)

// stalled is the command "stall [-SIGNAL] COMMAND ARG...": the command reads from a pipe what this
// process reads from its own input, and the pipe then stays open, as if its writer had stopped. The
// command must end by itself, or because its output is no longer read. With a signal, it gets that
// when it has taken all bytes from the pipe and has nothing more to do with them. The exit status is the
// command's, and 128 and the signal's number if one killed it.
func stalled() {
	status, err := stall(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "stall: %v\n", err)
	}
	os.Exit(status)
}

func stall(args []string) (status int, err error) {
	var signal syscall.Signal
	if name, ok := strings.CutPrefix(args[0], "-"); ok {
		signal, args = unix.SignalNum("SIG"+name), args[1:]
	}
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 126, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return 126, err
	}
	defer w.Close()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return 126, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if _, err := w.Write(text); err != nil { // its reader is this process too: the command's end is no error
		return 126, err
	}
	begin, signalled := time.Now(), signal == 0
	waits := 0
	for {
		select {
		case err := <-ended:
			if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
				return 126, err
			}
			if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signaled() {
				return 128 + int(ws.Signal()), nil
			}
			return cmd.ProcessState.ExitCode(), nil
		case <-time.After(stalledEvery):
		}
		left, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
		switch {
		case err != nil:
			return 126, err
		case time.Since(begin) > stalledPatience:
			return 124, errors.Join(fmt.Errorf("%v is still running; %d bytes of its input are unread", args, left), cmd.Process.Kill())
		case unread():
			signal, signalled = syscall.SIGKILL, true
			err = cmd.Process.Kill()
		case left > 0 || signalled || !sleeps(cmd.Process.Pid):
		case waits < stalledWaits:
			waits++
		default:
			signalled = true
			err = cmd.Process.Signal(signal)
		}
		if err != nil && !errors.Is(err, os.ErrProcessDone) {
			return 126, err
		}
	}
}

// sleeps reports whether no thread of a process runs or wants to.
func sleeps(pid int) bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, name := range threads {
		var text []byte
		text, err = os.ReadFile(name)
		// The state follows the name of the program, which stands in brackets.
		if at := bytes.LastIndexByte(text, ')'); err == nil && at+2 < len(text) && text[at+2] != 'S' {
			return false
		}
	}
	return err == nil && len(threads) > 0
}

// unread reports whether standard output is a pipe whose reader is gone.
func unread() bool {
	out := []unix.PollFd{{Fd: 1}}
	n, err := unix.Poll(out, 0)
	return err == nil && n > 0 && out[0].Revents&unix.POLLERR != 0
}
