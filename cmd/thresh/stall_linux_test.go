package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stalledPatience is how long a stalled command may take, on however busy a machine.
const stalledPatience = 2 * time.Minute

// stalled is the command "stall [-SIGNAL] COMMAND ARG...": the command reads from a pipe what this
// process reads from its own input, and the pipe then stays open, as if its writer had stopped. The
// command must end by itself, or because nobody reads its output any more. With a signal, it gets that
// when it has taken all bytes from the pipe, and a moment has passed in which it can use them: STALL.
// The exit status is the command's, and 128 and the signal's number if one killed it.
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
	moment, err := time.ParseDuration(os.Getenv("STALL"))
	if err != nil {
		return 126, err
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
	var taken time.Time
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
		case <-time.After(5 * time.Millisecond):
		}
		left, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
		switch {
		case err != nil:
			return 126, err
		case time.Since(begin) > stalledPatience:
			return 124, errors.Join(fmt.Errorf("%v still runs, %d bytes are left", args, left), cmd.Process.Kill())
		case unread():
			signal, signalled = syscall.SIGKILL, true
			err = cmd.Process.Kill()
		case left > 0 || signalled:
		case taken.IsZero():
			taken = time.Now()
		case time.Since(taken) > moment:
			signalled = true
			err = cmd.Process.Signal(signal)
		}
		if err != nil && !errors.Is(err, os.ErrProcessDone) {
			return 126, err
		}
	}
}

// unread reports whether standard output is a pipe whose reader is gone.
func unread() bool {
	out := []unix.PollFd{{Fd: 1}}
	n, err := unix.Poll(out, 0)
	return err == nil && n > 0 && out[0].Revents&unix.POLLERR != 0
}
