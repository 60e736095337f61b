//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/proc"
)

// signalsPassed are passed on to the command. Those that only the terminal sends, such as the one
// about its new size, reach the command without help.
var signalsPassed = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2,
	syscall.SIGTSTP, syscall.SIGCONT,
}

// signalsCaught are signals that are caught while a command runs.
type signalsCaught struct {
	signals, pipe chan os.Signal
	done          chan struct{}
}

// catchSignals catches signals from now on. Signals that are ignored stay ignored, as after nohup.
//
// SIGPIPE, which is ignored so that a closed pipe is an error, is caught too: the command would
// inherit that it is ignored.
func catchSignals() *signalsCaught {
	s := &signalsCaught{signals: make(chan os.Signal, 16), pipe: make(chan os.Signal, 1), done: make(chan struct{})}
	for _, sig := range signalsPassed {
		if !signal.Ignored(sig) {
			signal.Notify(s.signals, sig)
		}
	}
	signal.Notify(s.pipe, syscall.SIGPIPE)
	return s
}

func (s *signalsCaught) stop() {
	signal.Stop(s.signals)
	close(s.done)
}

// pass passes signals on to the command with the process number pid.
func (s *signalsCaught) pass(pid int) {
	go func() {
		for {
			select {
			case <-s.done:
				return
			case sig := <-s.signals:
				passSignal(sig.(syscall.Signal), pid)
			}
		}
	}()
}

// passSignal passes a signal on. What the keys of a terminal send reaches all processes in its
// foreground, so the command has it already.
func passSignal(sig syscall.Signal, pid int) {
	keys := sig == syscall.SIGINT || sig == syscall.SIGQUIT || sig == syscall.SIGTSTP
	if !keys || !inForeground() {
		_ = syscall.Kill(pid, sig) // it may have ended
	}
	if sig == syscall.SIGTSTP && stops(pid) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) // the shell waits for this process
	}
}

// How long a command may take to stop: some restore the terminal before.
const (
	stopMax   = 2 * time.Second
	stopEvery = 5 * time.Millisecond
)

// stops waits for a command to stop. It reports false if it does not: it may ignore the signal, or have
// no shell that would continue it.
func stops(pid int) bool {
	for end := time.Now().Add(stopMax); time.Now().Before(end); time.Sleep(stopEvery) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return false
		}
		if s, err := proc.ParseStat(text); err == nil && s.State == 'T' {
			return true
		}
	}
	return false
}

// inForeground reports whether this process is in the foreground of its terminal.
func inForeground() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY|syscall.O_NOCTTY, 0)
	if err != nil {
		return false // no terminal
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == syscall.Getpgrp()
}

// exitStatus returns the exit status of a command as shells have it.
func exitStatus(state *os.ProcessState) int {
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return state.ExitCode()
}
