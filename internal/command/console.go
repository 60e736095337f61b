package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"
)

// Console holds the standard streams of the process and the signals it receives.
type Console struct {
	In, Out, Err *os.File

	ctx     context.Context // the first signal cancels it
	cancel  context.CancelFunc
	signals chan os.Signal
	timer   *time.Timer // until signals are caught; nil before Catch
	caught  atomic.Bool // signals are caught
	asked   chan chan struct{}
	drain   atomic.Int64 // a time.Duration; 0 if the command is not a server
	args    []string
	helpErr error // of writing the help, which cobra's function cannot return
}

// NewConsole returns a console for a program with these arguments.
func NewConsole(args []string, in, out, err *os.File) *Console {
	c := &Console{In: in, Out: out, Err: err, args: args,
		signals: make(chan os.Signal, 2), asked: make(chan chan struct{})}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// Serves marks the command as a server. From now on signals are caught, and after the first
// one open connections have the time drain to finish.
func (c *Console) Serves(drain time.Duration) {
	c.drain.Store(int64(max(drain, 1)))
	notify(c.signals)
}

// notify catches the signals that end a run, but not those that the parent wants this program to ignore, as a
// shell does for a command with an ampersand.
func notify(signals chan os.Signal) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
}

// UntilSignal returns a context that those signals cancel.
func UntilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 1)
	notify(signals)
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}

const (
	// How long a cancelled command may take to print its results so far.
	graceAfterInterrupt = 2 * time.Second
	// Signals this close together count as one interrupt: timeout(1) sends two.
	sameInterrupt = 300 * time.Millisecond
	// Until then a signal kills the process, as is the default. Catching signals costs a
	// thread, and even the timer for this takes as long as a search of a small file: for that,
	// Catch is not called at all.
	catchAfter = 10 * time.Millisecond
)

// Catch catches signals from catchAfter on; the first call counts. The first SIGINT or SIGTERM then cancels the context
// of the command. If the command cannot stop, because its output is blocked, the program exits at a second signal or
// after graceAfterInterrupt. For a server that grace period starts after its drain time.
func (c *Console) Catch() {
	if c.timer == nil {
		c.timer = time.AfterFunc(catchAfter, c.handle)
	}
}

func (c *Console) handle() {
	c.caught.Store(true)
	notify(c.signals)
	for interrupted := false; !interrupted; {
		select {
		case <-c.signals:
			interrupted = true
			c.cancel()
		case done := <-c.asked:
			if interrupted = len(c.signals) > 0; interrupted {
				<-c.signals
				c.cancel()
			}
			close(done)
		}
	}
	c.endAfterGrace()
}

// Settle returns context.Canceled if a signal has come, also one that is still on its way.
func (c *Console) Settle() error {
	caught := c.caught.Load()
	flushSignals(caught) // a signal that is not caught ends the process here
	if !caught && c.caught.Load() {
		flushSignals(true) // they are caught since
	}
	if done := make(chan struct{}); c.caught.Load() {
		select {
		case c.asked <- done: // handle closes it when it has dealt with all signals
			<-done
		case <-c.ctx.Done():
		}
	}
	return c.ctx.Err()
}

// close stops catching signals.
func (c *Console) close() {
	if c.timer != nil {
		c.timer.Stop()
	}
	signal.Stop(c.signals)
	c.cancel()
}

// endAfterGrace ends the process if the command has not ended after an interrupt.
func (c *Console) endAfterGrace() {
	time.Sleep(sameInterrupt)
	for len(c.signals) > 0 {
		<-c.signals
	}
	select {
	case <-c.signals:
	case <-time.After(time.Duration(c.drain.Load()) + graceAfterInterrupt):
	}
	if c.drain.Load() > 0 {
		fmt.Fprintln(c.Err, "thresh: interrupted again: open connections were cut off")
	} else {
		fmt.Fprintln(c.Err, "thresh: interrupted, and the output is blocked: some results were not written")
	}
	os.Exit(Interrupted)
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
