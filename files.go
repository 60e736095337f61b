package thresh

import (
	"context"
	"io/fs"
	"iter"
	"os"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/run"
)

// Files returns the files that arguments name: with recursive the regular files below a folder, in
// the order of their names; the matches of a pattern that is not the name of a file; otherwise the
// argument itself. What cannot be listed comes with its error.
func Files(args []string, recursive bool) iter.Seq2[string, error] {
	return source.Expand(args, recursive)
}

// Listing lists the files that arguments name, as Files does, and knows what it left out. One
// goroutine may run Files while another calls Vanished; Skipped is valid when Files has ended. The zero
// Listing has no files.
type Listing struct{ l source.Listing }

// NewListing returns a listing.
func NewListing(args []string, recursive bool) *Listing {
	return &Listing{*source.NewListing(args, recursive)}
}

// SetRemote sets the function that lists the objects that a remote name means. Without it such a name means
// itself. Client.Files of package remote fits.
func (l *Listing) SetRemote(list func(name string, recursive bool) iter.Seq2[string, error]) {
	l.l.Remote = list
}

// Files returns the files.
func (l *Listing) Files() iter.Seq2[string, error] { return l.l.Files() }

// Vanished reports whether err, from opening a file, means that the file was found below a folder and
// has been removed since. Such files are best ignored. An argument that does not exist is a mistake.
func (l *Listing) Vanished(name string, err error) bool { return l.l.Vanished(name, err) }

// Skipped returns how many symbolic links, and how many FIFOs, sockets and devices, were skipped below
// folders: reading them may wait for ever, change something, or visit a file twice.
func (l *Listing) Skipped() (links, specials int64) { return l.l.Links, l.l.Specials }

// Visitor receives the answers about many files. One goroutine at a time calls its functions, file by
// file in the order of the names; an error that one returns ends the run and is returned.
type Visitor struct {
	// Hits receives the hits of a file, many at a time; it must not keep the slice. FindAll requires it,
	// and is the only one to call it.
	Hits func(name string, hits []Hit) error
	// Begin is called with each file that all workers search together, before its hits. The input is open
	// until Done. Small files, and big ones that one worker searches beside others, are searched without.
	// May be nil. TableAll does not call it.
	Begin func(in *Input)
	// Done is called at the end of each file. Err says why it could not be opened or read to its end. An
	// error that Done returns ends the run. Without Done, the first such err does. TableAll calls it
	// only for inputs that cannot be opened.
	Done func(name string, report Report, err error) error
	// Vanished reports whether a file that could not be opened was removed after it was listed; such a
	// file is ignored. Nil ignores none. Listing.Vanished fits.
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
	// "archive.zip:member". Without it an archive is an *ArchiveError.
	Archives bool
}

func (v Visitor) run() run.Visitor {
	var open *Input // of Begin
	r := run.Visitor{Stdin: v.Stdin, FS: v.FS, Raw: v.Raw, Archives: v.Archives, Vanished: v.Vanished}
	if v.Remote != nil {
		r.Remote = func(name string) (*run.Input, error) {
			in, err := v.Remote(name)
			if err != nil {
				return nil, err
			}
			return in.in, nil
		}
	}
	if v.Begin != nil {
		r.Begin = func(in *run.Input) {
			open = &Input{in}
			v.Begin(open)
		}
	}
	var name string
	pass := passHits(func(hits []Hit) error { return v.Hits(name, hits) })
	r.Hits = func(of string, hits []run.Hit) error {
		name = of
		return pass(hits)
	}
	r.Done = func(name string, report run.Report, err error) error {
		if open != nil {
			open.in, open = nil, nil
		}
		err = public(err)
		if v.Done == nil {
			return err
		}
		return v.Done(name, newReport(report), err)
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
func FindAll(ctx context.Context, names iter.Seq2[string, error], q *Query, o Options, v Visitor) (Report, error) {
	query, err := q.use()
	if err != nil {
		return Report{}, err
	}
	if v.Hits == nil {
		return Report{}, &OptionError{"Hits", nil, "the visitor has no function for hits"}
	}
	r, err := run.FindAll(ctx, names, query, o.run(), v.run())
	return newReport(r), public(err)
}

// CountAll counts in many files, as FindAll searches them. The report is the total; it is complete if
// all files could be opened and counted.
func CountAll(ctx context.Context, names iter.Seq2[string, error], q *Query, o Options, v Visitor) (Report, error) {
	query, err := q.use()
	if err != nil {
		return Report{}, err
	}
	r, err := run.CountAll(ctx, names, query, o.run(), v.run())
	return newReport(r), public(err)
}
