package command

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"slices"
	"sync/atomic"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/remote"
)

// Local is a run whose inputs are opened in this process.
type Local struct {
	*Run
	Archives bool // with -r, zip archives are searched like folders
	Lines    bool // lines of results are printed while an input is read: a bar on the same terminal would disturb
	// NotOutput refuses an input that is also the output, and so would grow while it is read.
	NotOutput bool
	Allow     func(name string) bool // which files below folders are inputs; nil for all
	Bytes     atomic.Int64           // read so far

	ctx     context.Context
	listing *source.Listing
	client  *remote.Client
	ballast []byte
}

// NewLocal returns a run whose inputs are opened in this process until ctx ends.
func NewLocal(ctx context.Context, r *Run) *Local {
	l := &Local{Run: r, ctx: ctx}
	l.Options.Progress = &l.Bytes
	return l
}

// Open opens an input by name; "-" is standard input.
func (l *Local) Open(name string) (in *thresh.Input, err error) {
	switch {
	case name == "-":
		l.Catch()
		in, err = thresh.FromFile("-", l.In, l.inputOptions()...)
	case thresh.IsRemote(name):
		in, err = l.openRemote(name)
	default:
		in, err = thresh.Open(name, l.inputOptions()...)
		if n, known := in.Bytes(); !known || n > quickBytes {
			l.Catch()
		}
	}
	if err == nil && l.NotOutput {
		if target := l.target(); target != nil && in.IsFile(target) {
			return nil, errors.Join(errIsOutput(name), in.Close())
		}
	}
	return in, err
}

// quickBytes is the size up to which a file is searched before a signal could arrive.
const quickBytes = 64 << 10

// openRemote opens an object on another machine. The client is made when the first one is asked for.
func (l *Local) openRemote(name string) (*thresh.Input, error) {
	l.Catch()
	return l.remotes().Open(l.ctx, name, l.inputOptions()...)
}

// OpenTensors opens a file or an object of tensors.
func (l *Local) OpenTensors(name string) (*thresh.TensorFile, error) {
	if !thresh.IsRemote(name) {
		return thresh.OpenTensors(name)
	}
	l.Catch()
	return l.remotes().OpenTensors(l.ctx, name)
}

func (l *Local) remotes() *remote.Client {
	if l.client == nil {
		l.client = remote.New(remote.Options{S3Endpoint: l.S3Endpoint})
	}
	return l.client
}

func (l *Local) inputOptions() []thresh.InputOption {
	if l.NoDecompress {
		return []thresh.InputOption{thresh.Raw}
	}
	return nil
}

// target returns the regular file that results go to, or that the output will replace; nil if there is none.
func (l *Local) target() os.FileInfo {
	info, err := l.Out.OS().Stat()
	if l.Output != "" {
		info, err = os.Stat(l.Output)
	}
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return info
}

func errIsOutput(name string) error {
	return fmt.Errorf("%s is also the output, and is not read", name)
}

// Names returns the names of the inputs. Each input leaves a little garbage behind, and the heap is so small that the
// garbage collector would run every few milliseconds. The ballast makes the heap look larger; it is never touched, so
// it takes no physical memory. Without it counting the lines of 15,000 files takes 1.15 times the processor time; with
// debug.SetGCPercent(400) instead, 34,000 files take 640 MiB of memory instead of 340. A small --mem has no room for
// that garbage.
func (l *Local) Names() iter.Seq2[string, error] { return l.NamesOf(l.Inputs) }

// NamesOf returns the names of some of the inputs, as they were typed.
func (l *Local) NamesOf(typed []string) iter.Seq2[string, error] {
	l.Catch()
	if l.Mem == 0 || l.Mem > 8*ballastBytes {
		l.ballast = make([]byte, ballastBytes)
	}
	l.listing = source.NewListing(typed, l.Recursive)
	l.listing.Remote = func(name string, recursive bool) iter.Seq2[string, error] {
		return l.remotes().Files(l.ctx, name, recursive)
	}
	var target os.FileInfo
	if l.NotOutput {
		target = l.target()
	}
	if target == nil && l.Allow == nil {
		return l.listing.Files()
	}
	return func(yield func(string, error) bool) {
		for name, err := range l.listing.Files() {
			if err == nil && l.Allow != nil && !slices.Contains(l.Inputs, name) && !l.Allow(name) {
				continue
			}
			if err == nil && target != nil {
				if info, statErr := os.Stat(name); statErr == nil && os.SameFile(info, target) {
					err = errIsOutput(name)
				}
			}
			if !yield(name, err) {
				return
			}
		}
	}
}

const ballastBytes = 16 << 20

// Callbacks returns those that open the inputs, without functions that receive answers.
func (l *Local) Callbacks() thresh.Callbacks {
	v := thresh.Callbacks{Stdin: l.In, Remote: l.openRemote, Raw: l.NoDecompress, Archives: l.Archives && l.Recursive}
	if l.listing != nil && l.Archives {
		v.Vanished = l.listing.Vanished
	}
	return v
}

// Fail handles an error of one input, as InputError does, and says what -r would do.
func (l *Local) Fail(name string, err error) error {
	var archive *failure.ArchiveError
	switch {
	case errors.Is(err, failure.ErrDirectory):
		err = Hint(fmt.Errorf("%s is a folder", name), "-r searches the files below it")
	case l.Archives && errors.As(err, &archive) && archive.Members != "":
		err = Hint(err, ArchiveHint(archive)+"; -r searches all members")
	}
	return l.InputError(err)
}

// Skipped notes what was skipped below folders: links, FIFOs, sockets and devices.
func (l *Local) Skipped() {
	if l.listing == nil {
		return
	}
	if links, specials := l.listing.Links, l.listing.Specials; links+specials > 0 {
		l.Notef("skipped below folders: %d symbolic links, %d FIFOs, sockets and devices", links, specials)
	}
}

// Explaining reports whether the plan is printed.
func (l *Local) Explaining() bool { return l.Explain || l.DryRun }

// PrintPlan prints a plan, unless there was an error: on standard output for --dry-run, whose only result it is.
func (l *Local) PrintPlan(p thresh.Plan, err error) error {
	if err != nil {
		return Exit(WrongUsage, err)
	}
	to := l.Err
	if l.DryRun {
		to = l.Console.Out
	}
	_, err = fmt.Fprint(to, Flags(p.String()))
	return err
}

// ShownName returns the name of an input as it may be shown: without a password.
func ShownName(name string) string {
	if u, err := url.Parse(name); thresh.IsRemote(name) && err == nil && u.User != nil {
		return u.Redacted()
	}
	return name
}
