package wall

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"
)

// Run starts the command, waits for it as cmd.Run does, and returns what held it back. The error is
// that of cmd.Run; the report is complete if the command has been started, also if it failed. When ctx
// ends, the command is killed.
//
// Nothing about the command is changed. Its standard streams are those of cmd.
func Run(ctx context.Context, cmd *exec.Cmd, o Options) (Report, error) {
	if ctx == nil || cmd == nil {
		return Report{}, errors.New("wall: Run needs a ctx and a cmd; one is nil")
	}
	if o.Orphans {
		restore, err := becomeSubreaper()
		if err != nil {
			return Report{}, err
		}
		defer restore()
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return Report{}, err
	}
	if o.Started != nil {
		o.Started(cmd.Process.Pid)
	}
	s, err := newSampler(cmd.Process.Pid, o)
	if err != nil { // without a sampler the command runs as well
		return Report{}, errors.Join(cmd.Wait(), err)
	}
	defer s.close()
	s.began, s.last = began, began
	waited := make(chan struct{})
	go func() {
		awaitExit(cmd.Process.Pid)
		s.end()
		close(waited)
	}()
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() }) // it may have ended
	s.loop()
	stop()
	<-waited
	left := s.left()
	err = cmd.Wait()
	r := s.report()
	r.Command, r.LeftRunning = cmd.Args, left
	if state := cmd.ProcessState; state != nil {
		// Finer than what /proc says, for the command and the children that it waited for.
		r.User = state.UserTime() + s.tree.ended.user
		r.System = state.SystemTime() + s.tree.ended.system
	}
	return r, err
}

// awaitExit waits until a child has ended, and leaves it to cmd.Wait. Until then its files in /proc
// can be read.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return // it has ended, or something else has waited for it
		}
	}
}

// left returns how many processes still run.
func (s *sampler) left() (n int) {
	s.tree.discover() // what ran only for a moment before the end
	s.tree.look(0)
	for _, p := range s.tree.list {
		if p.pid != s.tree.root && p.state != 'Z' {
			n++
		}
	}
	return n
}

// becomeSubreaper makes this process the parent of orphans below it, and returns a function that
// undoes that.
func becomeSubreaper() (restore func(), err error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, os.NewSyscallError("prctl", err)
	}
	return func() {
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) // what could be set can be unset
	}, nil
}

// Watch watches a process that runs already, with its children, until it ends or ctx does. It needs the
// rights to look at the process: those of the same user, in general. Processes whose parents end are
// lost from sight unless they were seen before.
func Watch(ctx context.Context, pid int, o Options) (Report, error) {
	if ctx == nil {
		return Report{}, errors.New("wall: ctx is nil")
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return Report{}, fmt.Errorf("watch process %d: %w", pid, err)
	}
	defer unix.Close(fd)
	o.Orphans = false
	s, err := newSampler(pid, o)
	if err != nil {
		return Report{}, err
	}
	defer s.close()
	if o.Started != nil {
		o.Started(pid)
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		s.end()
		close(ended)
	})
	s.loop(fd)
	if !stop() {
		<-ended // before the sampler is closed
	}
	r := s.report()
	r.Command = commandLine(pid, s)
	return r, nil
}

// commandLine returns the words of a process's command, or its name if it has ended.
func commandLine(pid int, s *sampler) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	var words []string
	for len(text) > 0 && err == nil {
		end := 0
		for end < len(text) && text[end] != 0 {
			end++
		}
		words = append(words, string(text[:end]))
		text = text[min(end+1, len(text)):]
	}
	if words == nil {
		words = []string{s.name}
	}
	return words
}

// Watcher watches this process.
type Watcher struct {
	sampler *sampler
	ended   chan struct{}
}

// Start begins to watch this process, with its children, for Stop to say what held it back meanwhile.
// Options.Orphans has no effect.
func Start(o Options) (*Watcher, error) {
	o.Orphans = false
	s, err := newSampler(os.Getpid(), o)
	if err != nil {
		return nil, err
	}
	w := &Watcher{sampler: s, ended: make(chan struct{})}
	go func() {
		s.loop()
		close(w.ended)
	}()
	if o.Started != nil {
		o.Started(os.Getpid())
	}
	return w, nil
}

// Stop ends watching, and returns what held this process back since Start; an empty report for the zero Watcher. It
// must be called once.
func (w *Watcher) Stop() Report {
	if w.sampler == nil {
		return Report{}
	}
	w.sampler.end()
	<-w.ended
	defer w.sampler.close()
	r := w.sampler.report()
	r.Command = os.Args
	return r
}
