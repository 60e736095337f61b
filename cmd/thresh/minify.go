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

// minifyFlags holds the flags of minify, as typed.
type minifyFlags struct {
	shared
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
		Long: `minify removes the white space outside strings (space, tab, carriage return,
line feed), also at the end. Every other byte stays as it was: numbers, escapes,
the order of keys, repeated keys. Without FILE, or with "-", it reads standard
input.

An input may contain several values, with or without white space between them:
{}{} and "a"1, but not 12true. The output has one line feed between two values,
and one after the last value if the input ends with a line feed. --ndjson is for
inputs with one value per line: it also keeps the line feed after a single
value, and accepts an input without any value. With several inputs, each output
ends with a line feed, and so does a single one on a terminal.

The input is validated while it is read. minify rejects anything that RFC 8259
does not allow, bytes that are not UTF-8, a byte-order mark, and values nested
deeper than --depth, and reports the offset, line, column and reason. An output
file is not written then; on standard output, the part before the error may have
been written. With -q and without -o, minify only checks and writes nothing.
--trust is for input known to be JSON and skips the check. Input that is not
JSON then comes out as it is, without white space outside quotes; words that
were separated by white space are separated by a line feed.

-o writes a file that appears when it is complete, with the mode and owner of
the file that it replaces. Until then the old file stays as it was, also after
an error, an interrupt or a crash, and no other file is left behind. A
replacement is written to the disk before it takes the place of the old file; a
new file is written when the system sees fit, as with cp. --in-place replaces
each input in this way: it follows symbolic links, and other hard links keep the
old content. It stops with an error if the input has changed meanwhile. An
output that is also an input is an error, also if the shell redirects it:
minify f >> f.

Exit status: 0 done, 2 wrong usage, an input that could not be opened or is not
JSON, or an output that could not be written, 3 part of an input could not be
read (each unread range is printed; no output file is written), 130 interrupted.`,
		Example: `  thresh minify big.json -o small.json
  curl -s https://example.org/data | thresh minify > small.json
  thresh minify --in-place config/*.json
  thresh minify --ndjson events.json.gz -o events.ndjson
  thresh minify -q upload.json && echo 'it is JSON'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := c.inputs(cmd.Flags(), args)
			if err != nil {
				return &exitError{exitUsage, err}
			}
			return f.run(cmd, c, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "write to `FILE`, which appears when it is complete")
	flags.BoolVar(&f.inPlace, "in-place", false, "replace each input with the result")
	flags.BoolVar(&f.ndjson, "ndjson", false, "each value is a line of its own; there may be none")
	flags.BoolVar(&f.validate, "validate", false, "reject input that is not JSON (default)")
	flags.BoolVar(&f.trust, "trust", false, "do not check that the input is JSON")
	flags.IntVar(&f.depth, "depth", 0, "reject values nested deeper than `N` brackets (default 10000)")
	f.shared.add(cmd)
	flags.Lookup("json").Usage = "print a summary of each input as a JSON line: on standard output " +
		"if the result goes to a file, otherwise on standard error"
	flags.Lookup("quiet").Usage = "print nothing, set only the exit status; -o and --in-place still write"
	flags.Lookup("recursive").Usage = "minify the regular files below folders, ordered by name"
	flags.Lookup("offset").Hidden, flags.Lookup("length").Hidden = true, true
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return contradiction(cmd.Flags(), minifyRules()) }
	return cmd
}

func (f *minifyFlags) run(cmd *cobra.Command, c *console, args []string) error {
	flags := cmd.Flags()
	if f.output == "-" { // standard output
		f.output = ""
	}
	o, err := f.shared.options(flags)
	if flags.Changed("offset") || flags.Changed("length") {
		err = errors.Join(err, &hintedError{errPart,
			"cut out a part that is JSON by itself: tail -c +N FILE | head -c N | thresh minify"})
	}
	if err := errors.Join(err, f.check(flags.Changed("depth"), args), readOnce(c.in, args)); err != nil {
		return &exitError{exitUsage, err}
	}
	s := &minifyRun{flags: f, session: session{shared: &f.shared, console: c, options: o,
		several: f.mayBeSeveral(args)}}
	s.spec = thresh.MinifyOptions{NDJSON: f.ndjson, Validate: f.validate || !f.trust, DepthMax: f.depth,
		EndLine: !f.inPlace && (s.several || f.output == "" && isTerminal(c.out))}
	s.options.Receipt = s.wantsReceipt()
	s.plan = func(in *thresh.Input, o thresh.Options) (thresh.Plan, error) {
		return thresh.ExplainMinify(in, s.minifyOptions(o))
	}
	s.connect(cmd.Context())
	s.listing = s.list(args)
	return s.run(cmd.Context(), args)
}

// errPart is the error of --offset and --length.
var errPart = errors.New("JSON is minified as a whole: a part of it may begin inside a string")

// minifyRules lists the flags that contradict each other.
func minifyRules() []rule {
	return []rule{
		{[]string{"output"}, []string{"in-place"}, "each says where the result goes; give one"},
		{[]string{"validate"}, []string{"trust"}, "--trust skips the check"},
	}
}

// check returns an error for values of flags that make no sense, alone or together.
func (f *minifyFlags) check(depthGiven bool, args []string) error {
	switch {
	case depthGiven && f.depth < 1:
		return fmt.Errorf("--depth %d: it must be at least 1", f.depth)
	case depthGiven && f.trust:
		return errors.New("--depth and --trust contradict each other: --trust skips the check of the depth")
	case f.quiet && f.trust && f.output == "" && !f.inPlace:
		return errors.New("-q and --trust leave nothing to do: -q only checks, and --trust skips the check; use one, or -o")
	case f.inPlace && f.recursive && f.trust:
		return &hintedError{errors.New("--in-place -r --trust would change every file below the folder, JSON or not"),
			"without --trust it leaves files alone that are not JSON"}
	}
	if f.inPlace {
		for _, name := range args {
			if name == "-" {
				return errors.New("--in-place: standard input cannot be replaced; name files")
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
	out      io.Writer     // where results go; nil with --in-place
	replaced os.FileInfo   // the file that -o replaces; nil if there is none
	file     *outfile.File // the output file; nil if results go to no file
}

// run minifies all inputs.
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
			s.replaced = nil // a new file, or outfile.Create returns the error
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

// outputIsInput returns the error that the output is also an input.
func (s *minifyRun) outputIsInput(name string) error {
	output := "standard output"
	if s.flags.output != "" {
		output = "-o " + s.flags.output
	}
	return &outputError{&hintedError{
		fmt.Errorf("%s is the same file as the input %s", output, name), "--in-place replaces it with the result"}}
}

// minifyOptions converts the shared options to those of minify, and adds those of its own flags.
func (s *minifyRun) minifyOptions(o thresh.Options) thresh.MinifyOptions {
	m := s.spec
	m.Engine, m.Workers, m.ChunkBytes, m.MemoryBytes = o.Engine, o.Workers, o.ChunkBytes, o.MemoryBytes
	m.Cache, m.Receipt, m.Progress = o.Cache, o.Receipt, o.Progress
	return m
}

// minify minifies an input to a file or a stream, and reports what could not be read.
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

// nameOutput adds the name of the output to a write error, and marks it as an output error.
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

// inPlace minifies a file and replaces it with the result, unless it has changed meanwhile.
func (s *minifyRun) inPlace(ctx context.Context, in *thresh.Input) error {
	if thresh.IsRemote(in.Name()) {
		return &hintedError{fmt.Errorf("--in-place: %s is on another machine", in.Name()), "use -o to write a file"}
	}
	before, err := os.Stat(in.Name())
	switch {
	case in.Compressed():
		return &hintedError{fmt.Errorf("--in-place: %s is compressed, and the result would not be", in.Name()),
			"use -o to write another file"}
	case err != nil:
		return err
	case !before.Mode().IsRegular():
		return fmt.Errorf("--in-place: %s is not a regular file, and cannot be replaced", in.Name())
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
			err = fmt.Errorf("%s changed while it was minified, so it was not replaced: try again", in.Name())
		}
	}
	return errors.Join(err, s.file.Abort())
}

// summary prints the JSON summary of an input.
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

// end puts the output file in place if it is complete, and returns the exit status as an error.
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
				fmt.Fprintf(s.console.err, "thresh: %s was not written: it would be incomplete\n", s.flags.output)
			}
		}
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil // the reader of the output has seen enough
	}
	var exit *exitError
	if errors.As(err, &exit) {
		return err
	}
	s.noteSkipped()
	if err == nil {
		s.receipt("minify", interrupted)
	}
	return s.status(interrupted, err)
}
