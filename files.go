package thresh

import (
	"context"
	"io/fs"
	"iter"
	"os"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/options"
)

// Files returns the files that arguments name: with recursive the regular files below a folder, in
// the order of their names; the matches of a pattern that is not the name of a file; otherwise the
// argument itself. What cannot be listed comes with its error.
func Files(args []string, recursive bool) iter.Seq2[string, error] {
	return source.Expand(args, recursive)
}

// Callbacks receives the answers about many files. One goroutine at a time calls its functions, file by
// file in the order of the names; an error that one returns ends the run and is returned.
type Callbacks struct {
	// Hits receives the hits of a file, many at a time; it must not keep the slice. FindAll requires it,
	// and is the only one to call it.
	Hits func(name string, hits []answer.Hit) error
	// Begin is called with each file that all workers search together, before its hits. The input is open
	// until Done. Small files, and big ones that one worker searches beside others, are searched without.
	// May be nil. TableAll does not call it.
	Begin func(in *Input)
	// Done is called at the end of each file. Err says why it could not be opened or read to its end. An
	// error that Done returns ends the run. Without Done, the first such err does. TableAll calls it
	// only for inputs that cannot be opened.
	Done func(name string, report answer.Report, err error) error
	// Vanished reports whether a file that could not be opened was removed after it was listed; such a
	// file is ignored. Nil ignores none.
	Vanished func(name string, err error) bool
	// Stdin is what the name "-" means; nil means the standard input of the process.
	Stdin *os.File
	// FS is where the names are opened; nil means the operating system. The files of an FS are searched
	// one after the other.
	FS fs.FS
	// Remote opens names for which IsRemote is true; nil means that they are names of files.
	Remote func(name string) (*Input, error)
	// Raw leaves compressed files as they are.
	Raw bool
	// Archives searches zip archives like folders: each member is an input of its own, named
	// "archive.zip:member". Without it an archive is a *failure.ArchiveError.
	Archives bool
}

func (c Callbacks) run() run.Callbacks {
	var open *Input // of Begin
	r := run.Callbacks{Stdin: c.Stdin, FS: c.FS, Raw: c.Raw, Archives: c.Archives, Vanished: c.Vanished}
	if c.Remote != nil {
		r.Remote = func(name string) (*run.Input, error) {
			in, err := c.Remote(name)
			if err != nil {
				return nil, err
			}
			return in.use()
		}
	}
	if c.Begin != nil {
		r.Begin = func(in *run.Input) {
			open = &Input{in}
			c.Begin(open)
		}
	}
	var name string
	pass := func(hits []answer.Hit) error { return c.Hits(name, hits) }
	r.Hits = func(of string, hits []answer.Hit) error {
		name = of
		return pass(hits)
	}
	r.Done = func(name string, report run.Report, err error) error {
		if open != nil {
			open.in, open = nil, nil
		}
		if c.Done == nil {
			return err
		}
		return c.Done(name, report.Report, err)
	}
	return r
}

// FindAll searches many files. Most are searched by one worker each, several at once; the first of the big
// ones, and those that are much bigger than the others, by all workers together. A range that reaches beyond
// the end of a file is searched as far as the file goes.
//
// The report is the total; it is complete if all files could be opened and searched. Its receipt is
// that of all files together; its wall comes from counters alone, because there is no single file to
// probe.
func FindAll(ctx context.Context, names iter.Seq2[string, error], q *Query, o options.Find,
	c Callbacks) (answer.Report, error) {
	query, err := q.use()
	if err != nil {
		return answer.Report{}, err
	}
	if err := required("ctx", ctx, "names", names, "Hits", c.Hits); err != nil {
		return answer.Report{}, err
	}
	r, err := run.FindAll(ctx, names, query, run.ForFind(o), c.run())
	return r.Report, err
}

// CountAll counts in many files, as FindAll searches them. The report is the total; it is complete if
// all files could be opened and counted.
func CountAll(ctx context.Context, names iter.Seq2[string, error], q *Query, o options.Scan,
	c Callbacks) (answer.Report, error) {
	if err := required("ctx", ctx, "names", names); err != nil {
		return answer.Report{}, err
	}
	query, err := q.use()
	if err != nil {
		return answer.Report{}, err
	}
	r, err := run.CountAll(ctx, names, query, run.ForScan(o), c.run())
	return r.Report, err
}
