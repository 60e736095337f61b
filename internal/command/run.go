package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/receipt"
)

// Run is one run of a question: its inputs, its output, and what went wrong. Where the inputs are read, in this process
// or on other machines, it does not know.
type Run struct {
	*Call
	*Shared
	Options options.Find
	Inputs  []string // as typed; "-" is standard input
	Several bool     // more than one input is possible, so results name theirs
	Out     *Output
	Total   answer.Report

	Endless bool // only an interrupt ends the inputs, so that it leaves the answer complete

	Found       bool // something was found, which a verb that searches sets
	Interrupted bool // set when the question has been asked, as is Complete
	Complete    bool

	streams    []string // the inputs that other programs write meanwhile
	unopened   bool     // an input could not be opened
	incomplete bool     // part of an input could not be read
}

// Question is what a verb asks in a run, and how it prints the answers.
type Question interface {
	// Ask asks it of all inputs, and prints answers as they come.
	Ask(ctx context.Context) error
	// End prints what comes after the last answer. It gets the error of Ask, and returns that or its own.
	End(err error) error
	// Note tells on standard error what there is to know about the answers.
	Note()
}

// ErrEnough ends a run that knows enough: with --quiet, at the first match.
var ErrEnough = errors.New("enough was found")

// NewRun returns a run about the arguments of a call, or an error if they cannot be its inputs.
func NewRun(c *Call, s *Shared, args []string) (*Run, error) {
	r := &Run{Call: c, Shared: s, Options: s.options(c)}
	if s.Output == "-" { // standard output
		s.Output = ""
	}
	r.Options.Receipt = r.wantsReceipt()
	r.Out = newOutput(c.Console, s)
	var err error
	if r.Inputs, err = inputs(c, args); err != nil {
		return r, err
	}
	r.Several = mayBeSeveral(r.Inputs, s.Recursive)
	r.streams = streams(c.In, r.Inputs)
	return r, readOnce(c.In, r.Inputs)
}

// Do runs a question to its end, and returns the exit status as an error.
func (r *Run) Do(ctx context.Context, q Question) error {
	if err := r.Out.begin(); err != nil {
		return err
	}
	if r.Mem > 0 { // a quarter is for buffers that the garbage collector does not know
		before := debug.SetMemoryLimit(-1)
		debug.SetMemoryLimit(min(before, int64(r.Mem)/4*3))
		defer debug.SetMemoryLimit(before)
	}
	err := q.Ask(ctx)
	r.Interrupted = ctx.Err() != nil && errors.Is(err, context.Canceled)
	if errors.Is(err, ErrEnough) || r.Interrupted {
		err = nil
	}
	err = r.Out.named(err)
	var exit *ExitError
	if errors.As(err, &exit) || r.DryRun {
		return r.Out.finish(err, false)
	}
	r.Complete = err == nil && !r.incomplete && !r.unopened && (!r.Interrupted || r.Endless)
	err = r.Out.finish(q.End(err), r.Complete)
	if errors.Is(err, syscall.EPIPE) {
		return nil // the reader of the output has seen enough
	}
	q.Note()
	if err == nil {
		r.receipt()
	}
	return r.status(err)
}

// status returns the exit status as an error, nil for success.
func (r *Run) status(err error) error {
	switch {
	case err != nil:
		return Exit(WrongUsage, err)
	case r.Interrupted && r.Endless:
		return Exit(Interrupted, nil)
	case r.Interrupted:
		return Exit(Interrupted, errors.New("interrupted: the answer is incomplete"))
	case r.Quiet && r.Found:
		return nil
	case r.unopened:
		return Exit(WrongUsage, nil)
	case r.incomplete:
		return Exit(Unread, nil)
	case r.Verb.Searches && !r.Found:
		return Exit(Nothing, nil)
	}
	return nil
}

// Add adds the report of an input, or of several, to the total.
func (r *Run) Add(part answer.Report) {
	r.Total.Hits += part.Hits
	r.Total.Bytes += part.Bytes + part.Skipped
	r.Total.Skipped += part.Skipped
	r.AddReceipt(part.Receipt)
}

// AddReceipt adds the receipt of a part of the run.
func (r *Run) AddReceipt(part receipt.Receipt) {
	switch {
	case part.Seconds == 0: // of one of several inputs, which have one together
	case r.Total.Receipt.Seconds == 0:
		r.Total.Receipt = part
	default:
		r.Total.Receipt.Add(part)
	}
}

// Doubt reports why the answer is not to be relied on.
func (r *Run) Doubt(err error) {
	r.incomplete = true
	fmt.Fprintln(r.Err, "thresh:", Flags(err.Error()))
}

// Unread reports ranges of an input that could not be read.
func (r *Run) Unread(ranges []failure.UnreadError) {
	for i := range ranges {
		r.incomplete = true
		fmt.Fprintln(r.Err, "thresh:", Flags(ranges[i].Error()))
	}
}

// InputError handles an error of one input. With several inputs it prints the error and returns nil, so the others are
// still searched. Errors that end the run (cancellation, output) are returned as they are.
func (r *Run) InputError(err error) error {
	var exit *ExitError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, ErrEnough), errors.Is(err, syscall.EPIPE), IsOutput(err),
		errors.As(err, &exit):
		return err
	case !r.Several:
		return Exit(WrongUsage, err)
	}
	r.unopened = true
	Complain(r.Err, err)
	return nil
}

// Ended returns context.Canceled if an input is a stream, was read to its end, and an interrupt has come. The key of a
// terminal sends the signal also to the program that writes the stream, whose end may be earlier than it would be, and
// look malformed. Errors of the output are returned as they are.
func (r *Run) Ended(name string, err error) error {
	if !slices.Contains(r.streams, name) || errors.Is(err, ErrEnough) || IsOutput(err) {
		return err
	}
	return cmp.Or(r.Settle(), err)
}

// Notef prints a note on standard error, unless nothing is to be printed.
func (r *Run) Notef(format string, args ...any) {
	if !r.Quiet {
		fmt.Fprintf(r.Err, "thresh: note: "+format+"\n", args...)
	}
}

// wantsReceipt reports whether to measure the run and print a receipt: if one is asked for, or by default if standard
// error is a terminal.
func (r *Run) wantsReceipt() bool {
	return r.Shared.Receipt != "" || IsTerminal(r.Err) && !r.Quiet
}

// receipt prints the receipt on standard error: what was read, how fast, and which wall was hit.
func (r *Run) receipt() {
	if !r.wantsReceipt() || r.Shared.Receipt == "" && (r.Interrupted || r.Total.Receipt.Seconds == 0) {
		return // nothing was asked, or not to its end
	}
	if !r.Interrupted {
		_ = keepRun(r.Total.Receipt, r.Verb.Name) // without a cache folder the drawing of "thresh limits -o" lacks this run
	}
	r.PrintReceipt(r.Total.Receipt, r.Shared.Receipt)
}

// PrintReceipt prints a receipt on standard error: as a line, with a bar on a terminal, or as format says in full or
// as JSON.
func (c *Console) PrintReceipt(r receipt.Receipt, format string) {
	switch format {
	case "full":
		fmt.Fprint(c.Err, r.Full())
	case "json":
		b, err := json.Marshal(r)
		if err != nil {
			Complain(c.Err, fmt.Errorf("receipt: %w", err))
			return
		}
		fmt.Fprintf(c.Err, "%s\n", b)
	default:
		line := r.Line()
		if bar := r.Bar(barCells, shades()); bar != "" && IsTerminal(c.Err) {
			line = "[" + bar + "] " + line
		}
		fmt.Fprintln(c.Err, folded(line, ColumnsOf(c.Err)))
	}
}

const barCells = 12

// shades are characters from dark to light, as the terminal's locale has them.
func shades() string {
	locale := strings.ToLower(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG")))
	if strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8") {
		return "█▓▒░"
	}
	return "#=-."
}

// folded returns a line that is broken between words where a terminal of so many columns would break it inside one; 0
// columns leave it whole.
func folded(line string, columns int) string {
	var b strings.Builder
	at := 0
	for word := range strings.SplitSeq(line, " ") {
		width := displaywidth.String(word)
		switch {
		case at == 0:
		case columns > 0 && at+1+width > columns:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += width
	}
	return b.String()
}

// keepRun adds a run to the last ones, which "thresh limits -o" draws, under the name of a verb. The runs are kept in
// the user's cache folder. A receipt without a wall, or of a run too short to measure, is not kept.
func keepRun(r receipt.Receipt, verb string) error {
	workers := 0
	for _, e := range r.Engines {
		workers = max(workers, e.Workers)
	}
	if r.Wall == "" || r.Wall == receipt.TooSmall || r.KernelBytesPerSecond == 0 || workers == 0 {
		return nil
	}
	return limits.KeepRun(limits.Run{Taken: time.Now(), Question: verb, Kernel: r.Kernel, Wall: string(r.Wall),
		Rate: r.BytesPerSecond / 1e9, Function: r.KernelBytesPerSecond * float64(min(workers, runtime.GOMAXPROCS(0))) / 1e9})
}
