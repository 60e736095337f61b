package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/output/outfile"
)

// minifyFlags is what minify has beyond the shared flags, as typed.
type minifyFlags struct {
	shared
	output   string
	inPlace  bool
	ndjson   bool
	validate bool
	trust    bool
	depth    int
}

func newMinify(c *console) *cobra.Command {
	var f minifyFlags
	cmd := &cobra.Command{
		Use:   "minify [flags] [FILE...]",
		Short: "the same JSON, smaller",
		Long: `minify removes the white space outside of strings (space, tab, carriage return, line feed),
also at the end. Every other byte stays as it was: numbers, escapes, the order of keys, keys
that occur twice. Without FILE, or as "-", it takes standard input.

An input may hold several values, with white space between them or without: {}{}, "a"1, but
not 12true. Between two there is one line feed in the output, and one behind the last if there
was one in the input. --ndjson is for inputs whose every value is a line: it keeps the line
feed behind a single value too, and an input without any value is right. Texts of several
inputs follow each other, each with a line feed behind it; on a terminal, so does a single one.

The input is validated as it goes. What RFC 8259 does not have is refused with byte, line, column
and reason, and so are bytes that are not UTF-8, a byte-order mark, and texts nested deeper
than --depth. Where the output is a file it does not appear then; to standard output, what
stands before the fault may have been written. With -q and without -o nothing is written: it
only checks. --trust is for what is known to be JSON and saves the check. What is not JSON
then comes out as it is, less white space outside of quotes; words that it kept apart are
kept apart by a line feed.

-o writes a file that appears when it is complete, with the mode and owner of the one whose
place it takes. Until then that stays as it was, and after an error, an interruption or a
crash of the program too; nothing is left behind. A file that takes another's place is
on its disk before it does; a new one is left to the system to write, as cp does. --in-place
puts the result in the place of each input in that way: symbolic links are followed, other
hard links to the old content keep it. It is refused if the input changed meanwhile. An
output that is one of the inputs is an error, also a redirected one: minify f >> f.

Exit status: 0 done, 2 wrong usage, an input that could not be opened or is not JSON, or an
output that could not be written, 3 a part of an input could not be read (each such range
is printed; an output file is not written), 130 interrupted.`,
		Example: `  thresh minify big.json -o small.json
  curl -s https://example.org/data | thresh minify > small.json
  thresh minify --in-place config/*.json
  thresh minify --ndjson events.json.gz -o events.ndjson
  thresh minify -q upload.json && echo 'it is JSON'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !isTerminal(c.in) {
				args = []string{"-"} // it stands between two commands
			}
			if err := requireInput(cmd, args); err != nil {
				return err
			}
			return f.run(cmd, c, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "write to this file, which appears when it is complete")
	flags.BoolVar(&f.inPlace, "in-place", false, "put the result in the place of each input")
	flags.BoolVar(&f.ndjson, "ndjson", false, "any number of values, also none, each of them a line")
	flags.BoolVar(&f.validate, "validate", false, "refuse what is not JSON (the default)")
	flags.BoolVar(&f.trust, "trust", false, "do not check that the input is JSON")
	flags.IntVar(&f.depth, "depth", 0, "how deep brackets may be nested (default 10000)")
	f.shared.add(cmd)
	flags.Lookup("json").Usage = "a summary of each input as a JSON line: on standard output " +
		"if the text goes to a file, otherwise on standard error"
	flags.Lookup("quiet").Usage = "no output but to a file, exit status only"
	flags.Lookup("recursive").Usage = "the regular files below folders, in the order of their names"
	flags.Lookup("offset").Hidden, flags.Lookup("length").Hidden = true, true
	cmd.MarkFlagsMutuallyExclusive("output", "in-place")
	cmd.MarkFlagsMutuallyExclusive("validate", "trust")
	return cmd
}

func (f *minifyFlags) run(cmd *cobra.Command, c *console, args []string) error {
	flags := cmd.Flags()
	if f.output == "-" { // standard output, as elsewhere
		f.output = ""
	}
	o, err := f.shared.options(flags)
	if flags.Changed("offset") || flags.Changed("length") {
		err = errors.Join(err, &hintedError{errPart,
			"what is a text of its own can be cut out before: tail -c +N | head -c N"})
	}
	if err := errors.Join(err, f.check(flags.Changed("depth"), args), readOnce(c.in, args)); err != nil {
		return &exitError{exitUsage, err}
	}
	s := &minifyRun{flags: f, session: session{shared: &f.shared, console: c, options: o,
		several: len(args) > 1 || f.recursive}}
	s.spec = thresh.MinifyOptions{NDJSON: f.ndjson, Validate: f.validate || !f.trust, DepthMax: f.depth,
		EndLine: !f.inPlace && (s.several || f.output == "" && isTerminal(c.out))}
	s.options.Receipt = s.wantsReceipt()
	s.plan = func(in *thresh.Input, o thresh.Options) (thresh.Plan, error) {
		return thresh.ExplainMinify(in, s.minifyOptions(o))
	}
	s.listing = thresh.NewListing(args, f.recursive)
	return s.run(cmd.Context(), args)
}

// errPart refuses a part of an input.
var errPart = errors.New("JSON is minified as a whole: a part of it may begin inside a string")

// check finds flags that do not go together.
func (f *minifyFlags) check(depthGiven bool, args []string) error {
	switch {
	case depthGiven && f.depth < 1:
		return fmt.Errorf("--depth %d: at least one bracket must be allowed", f.depth)
	case depthGiven && f.trust:
		return errors.New("--depth and --trust contradict each other: what is trusted is not checked")
	case f.quiet && f.trust && f.output == "" && !f.inPlace:
		return errors.New("-q and --trust leave nothing to do: -q only checks, and --trust does not")
	case f.inPlace && f.recursive && f.trust:
		return &hintedError{errors.New("--in-place -r --trust would change every file below the folder, JSON or not"),
			"without --trust it leaves alone what is not JSON"}
	}
	if f.inPlace {
		for _, name := range args {
			if name == "-" {
				return errors.New("--in-place: standard input has no place; name files")
			}
		}
	}
	return nil
}

// minifyRun is one run of minify.
type minifyRun struct {
	session
	flags    *minifyFlags
	spec     thresh.MinifyOptions
	out      io.Writer     // of all texts; nil in place
	replaced os.FileInfo   // of the file whose place the output takes; nil where there is none
	file     *outfile.File // what out writes to; nil where that is none of ours
}

func (s *minifyRun) run(ctx context.Context, args []string) error {
	if s.flags.explain || s.flags.dryRun {
		if err := s.explainMany(args); err != nil || s.flags.dryRun {
			return err
		}
	}
	switch {
	case s.flags.output != "":
		var err error
		if s.replaced, err = os.Stat(s.flags.output); err != nil {
			s.replaced = nil // a new file, or outfile says what is wrong
		}
		if s.file, err = outfile.Create(s.flags.output); err != nil {
			return &exitError{exitUsage, err}
		}
		s.out = s.file.OS()
	case s.flags.quiet:
		s.out = io.Discard
	case !s.flags.inPlace:
		s.out = s.console.out
	}
	var err error
	for name, openErr := range s.listing.Files() {
		if err = ctx.Err(); err == nil {
			if err = openErr; err == nil {
				err = s.one(ctx, name)
			}
			err = s.inputError(name, err)
		}
		if err != nil {
			break
		}
	}
	return s.end(ctx, err)
}

// one minifies one input.
func (s *minifyRun) one(ctx context.Context, name string) error {
	in, err := s.open(name)
	if err != nil {
		return err
	}
	switch {
	case s.flags.inPlace:
		err = s.inPlace(ctx, in)
	case s.replaced != nil && in.IsFile(s.replaced):
		err = s.outputIsInput(in.Name())
	default:
		if _, err = s.minify(ctx, in, s.out); errors.Is(err, thresh.ErrSameFile) {
			err = s.outputIsInput(in.Name())
		}
	}
	return errors.Join(err, in.Close())
}

// outputIsInput says that the output is an input.
func (s *minifyRun) outputIsInput(name string) error {
	output := "standard output"
	if s.flags.output != "" {
		output = "-o " + s.flags.output
	}
	return &outputError{&hintedError{fmt.Errorf("%s is an input, %s", output, name), "--in-place puts the result in its place"}}
}

// minifyOptions returns how to minify, with the options of a search that are those of minify.
func (s *minifyRun) minifyOptions(o thresh.Options) thresh.MinifyOptions {
	m := s.spec
	m.Engine, m.Workers, m.ChunkBytes, m.MemoryBytes = o.Engine, o.Workers, o.ChunkBytes, o.MemoryBytes
	m.Cache, m.Receipt, m.Progress = o.Cache, o.Receipt, o.Progress
	return m
}

// minify minifies an input to a file or a stream, and tells what of it could not be read.
func (s *minifyRun) minify(ctx context.Context, in *thresh.Input, out io.Writer) (complete bool, err error) {
	var done atomic.Int64
	o := s.options
	o.Progress = &done
	bar := s.progress(in, &done, out == s.console.out)
	r, err := thresh.Minify(ctx, in, out, s.minifyOptions(o))
	bar.stop()
	for i := range r.Unread {
		fmt.Fprintf(s.console.err, "thresh: %v\n", &r.Unread[i])
	}
	s.add(thresh.Report{Bytes: r.Bytes, Unread: r.Unread, Receipt: r.Receipt})
	if s.flags.json && !s.flags.quiet && !isOutput(s.nameOutput(err)) {
		err = errors.Join(err, s.summary(in.Name(), r))
	}
	return r.Complete, s.nameOutput(err)
}

// writing names the output in an error of it.
func (s *minifyRun) nameOutput(err error) error {
	var e *thresh.WriteError
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case s.file != nil:
		e.Name = s.file.Name()
	case !s.flags.inPlace:
		e.Name = "standard output"
	}
	return &outputError{e}
}

// inPlace minifies a file and puts the result in its place.
func (s *minifyRun) inPlace(ctx context.Context, in *thresh.Input) error {
	before, err := os.Stat(in.Name())
	switch {
	case in.Compressed():
		return &hintedError{fmt.Errorf("--in-place: %s is compressed, and its content is not", in.Name()),
			"-o writes another file"}
	case err != nil:
		return err
	case !before.Mode().IsRegular():
		return fmt.Errorf("--in-place: %s is no regular file, and cannot be replaced", in.Name())
	}
	if s.file, err = outfile.Create(in.Name()); err != nil {
		return err
	}
	complete, err := s.minify(ctx, in, s.file.OS())
	if err == nil && complete {
		var now os.FileInfo
		if now, err = os.Stat(in.Name()); err == nil {
			if os.SameFile(before, now) && now.Size() == before.Size() && now.ModTime().Equal(before.ModTime()) {
				return s.file.Commit(true)
			}
			err = fmt.Errorf("%s was changed by somebody else while it was minified, and left so: try again", in.Name())
		}
	}
	return errors.Join(err, s.file.Abort())
}

// summary prints what was done with an input.
func (s *minifyRun) summary(name string, r thresh.MinifyReport) error {
	to := s.console.err
	if s.out != s.console.out {
		to = s.console.out
	}
	p := printer{flags: s.shared, file: to, errs: s.console.err}
	b := fmt.Appendf(nil, `{"file":%s,"bytes":%d,"written":%d,"complete":%v}`+"\n",
		appendJSON(nil, jsonText(name)), r.Bytes, r.Written, r.Complete)
	_, err := p.Write(b)
	return err
}

// end puts the file in its place, and says how the program is to exit.
func (s *minifyRun) end(ctx context.Context, err error) error {
	interrupted := ctx.Err() != nil && errors.Is(err, context.Canceled)
	if interrupted {
		err = nil
	}
	if s.file != nil && !s.flags.inPlace {
		if err == nil && !interrupted && !s.unopened && !s.incomplete {
			err = s.file.Commit(s.file.Replaces())
		} else {
			err = errors.Join(err, s.file.Abort())
			if err == nil && !s.flags.quiet {
				fmt.Fprintf(s.console.err, "thresh: %s was not written: it would not be complete\n", s.flags.output)
			}
		}
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil // whoever read the output has seen enough
	}
	var exit *exitError
	if errors.As(err, &exit) {
		return err
	}
	s.noteSkipped()
	if err == nil {
		s.receipt(interrupted)
	}
	return s.status(interrupted, err)
}
