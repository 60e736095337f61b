package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/outfile"
	"github.com/thresh-dev/thresh/options"
)

// minifyFlags holds the flags of minify, as typed.
type minifyFlags struct {
	command.Shared
	inPlace  bool
	ndjson   bool
	validate bool
	trust    bool
	depth    int
}

// Minify is the verb that leaves out the white space of JSON.
func Minify() *command.Verb {
	f := new(minifyFlags)
	return &command.Verb{
		Name:  "minify",
		Usage: "[flags] [FILE...]",
		Short: "the same JSON, smaller",
		Long: `minify removes the white space outside strings (space, tab, carriage return,
line feed), also at the end. Every other byte stays as it was: numbers, escapes,
the order of keys, repeated keys. Without FILE, or with "-", it reads standard
input, unless FILE is missing and that is a terminal.

Several values:
  An input may contain several values, with or without white space between
  them: {}{} and "a"1, but not 12true. The output has one line feed between
  two values, and one after the last value if the input ends with a line feed.
  --ndjson is for inputs with one value per line: it also keeps the line feed
  after a single value, and accepts an input without any value. With several
  inputs, each output ends with a line feed, and so does a single one on a
  terminal.

Validation:
  The input is validated while it is read. minify rejects anything that RFC
  8259 does not allow, bytes that are not UTF-8, a byte-order mark, and values
  nested deeper than --depth, and reports the offset, line, column and reason.
  An output file is not written then; on standard output, the part before the
  error may have been written. With -q and without -o, minify only checks and
  writes nothing. --trust is for input known to be JSON and skips the check.
  Input that is not JSON then comes out as it is, without white space outside
  quotes; words that were separated by white space are separated by a line
  feed.

Output files:
  -o writes a file that appears when it is complete, with the mode and owner
  of the file that it replaces. Until then the old file stays as it was, also
  after an error, an interrupt or a crash, and no other file is left over. A
  replacement is written to the disk before it takes the place of the old
  file; a new file is written when the system sees fit, as with cp. --in-place
  replaces each input in this way: it follows symbolic links, and other hard
  links keep the old content. It stops with an error if the input has changed
  meanwhile. An output that is also an input is an error, also if the shell
  redirects it: minify f >> f.

Exit status:
  0    done
  2    wrong usage, an input that could not be opened or is not JSON, or an
       output that could not be written
  3    part of an input could not be read; each unread range is printed, and no
       output file is written
  130  interrupted`,
		Examples: `  thresh minify big.json -o small.json
  curl -s https://example.org/data | thresh minify > small.json
  thresh minify --in-place config/*.json
  thresh minify --ndjson events.json.gz -o events.ndjson
  thresh minify -q upload.json && echo 'it is JSON'`,
		Common: "output in-place ndjson trust depth recursive json quiet workers mem receipt progress",
		Flags: slices.Concat([]command.Flag{
			{Name: "in-place", To: &f.inPlace, Help: "replace each input with the result"},
			{Name: "ndjson", To: &f.ndjson, Help: "each value is a line of its own; there may be none"},
			{Name: "validate", To: &f.validate, Help: "reject input that is not JSON (default)"},
			{Name: "trust", To: &f.trust, Help: "do not check that the input is JSON"},
			{Name: "depth", To: &f.depth, Positive: "omit the flag for the default",
				Help: "reject values nested deeper than `N` brackets (default 10000)"},
		}, command.Reword(f.SharedFlags(),
			command.Flag{Name: "output", Help: "write to `FILE`, which appears when it is complete"},
			command.Flag{Name: "json", Help: "print a summary of each input as a JSON line: on standard output if the " +
				"result goes to a file, otherwise on standard error"},
			command.Flag{Name: "quiet",
				Help: "print nothing, set only the exit status; -o and --in-place still write"},
			command.Flag{Name: "recursive", Help: "minify the regular files below folders, ordered by name"},
			command.Flag{Name: "offset", Hidden: true}, command.Flag{Name: "length", Hidden: true})),
		Conflicts: []command.Conflict{
			{Flags: "output", With: "in-place", Why: "each says where the result goes; give one"},
			{Flags: "validate", With: "trust", Why: "--trust skips the check"},
			{Flags: "depth", With: "trust", Why: "--trust skips the check of the depth"},
		},
		Elsewhere: map[string]string{
			"i": "--in-place", "c": "nothing: the output is always compact", "check": "-q, which only checks",
			"compact": "nothing: the output is always compact",
		},
		ArgsMax: -1,
		Run:     f.run,
	}
}

func (f *minifyFlags) run(ctx context.Context, c *command.Call) error {
	run, err := command.NewRun(c, &f.Shared, c.Args)
	if c.First("offset length") != "" {
		err = errors.Join(err, command.Hint(errPart,
			"cut out a part that is JSON by itself: tail -c +N FILE | head -c N | thresh minify"))
	}
	if err := errors.Join(err, f.check(run.Inputs)); err != nil {
		return err
	}
	if err := run.OutputIsInput(!f.inPlace); err != nil {
		return command.Hint(err, "--in-place replaces it with the result")
	}
	s := &minifyRun{flags: f}
	s.Local = command.NewLocal(ctx, run)
	s.spec = options.Minify{NDJSON: f.ndjson, Validate: f.validate || !f.trust, DepthMax: f.depth,
		EndLine: !f.inPlace && (s.Several || s.Out.Terminal())}
	s.NotOutput, s.Lines = !f.inPlace, !f.inPlace && !f.Quiet && f.Output == ""
	s.Plan = func(in *thresh.Input, o options.Find) (thresh.Plan, error) {
		return thresh.ExplainMinify(in, s.minifyOptions(o))
	}
	s.One, s.Done = s.one, s.done
	return run.Do(ctx, s)
}

// errPart is the error of --offset and --length.
var errPart = errors.New("--offset, --length: JSON is minified as a whole: a part of it may begin inside a string")

// check returns an error for values of flags that make no sense, alone or together.
func (f *minifyFlags) check(args []string) error {
	switch {
	case f.Quiet && f.trust && f.Output == "" && !f.inPlace:
		return errors.New("-q and --trust leave nothing to do: -q only checks, and --trust skips the check; use one, or -o")
	case f.inPlace && f.Recursive && f.trust:
		return command.Hint(errors.New("--in-place -r --trust would change every file below the folder, JSON or not"),
			"without --trust it leaves files alone that are not JSON")

	}
	if f.inPlace && slices.Contains(args, "-") {
		return errors.New("--in-place: standard input cannot be replaced; name files")
	}
	if len(args) == 2 && command.IsFile(args[0]) && f.Output == "" && !f.inPlace && !f.Quiet && !thresh.IsRemote(args[1]) {
		if _, err := os.Stat(args[1]); errors.Is(err, fs.ErrNotExist) && args[1] != "-" {
			return command.Hint(fmt.Errorf("there is no file %s", args[1]),
				fmt.Sprintf("did you mean thresh minify %s -o %s?", command.ShellQuote(args[0]), command.ShellQuote(args[1])))
		}
	}
	return nil
}

// minifyRun is one run of minify.
type minifyRun struct {
	command.Scan[answer.MinifyReport]
	flags *minifyFlags
	spec  options.Minify
}

// one minifies an input.
func (s *minifyRun) one(ctx context.Context, in *thresh.Input) (answer.MinifyReport, error) {
	switch {
	case s.flags.inPlace:
		return s.inPlace(ctx, in)
	case s.Quiet && !s.Out.ToFile():
		return s.minify(ctx, in, io.Discard)
	}
	return s.minify(ctx, in, s.Out.OS())
}

func (s *minifyRun) minify(ctx context.Context, in *thresh.Input, out io.Writer) (answer.MinifyReport, error) {
	r, err := thresh.Minify(ctx, in, out, s.minifyOptions(s.Options))
	err = s.Ended(in.Name(), err)
	r.Complete = r.Complete && err == nil
	return r, err
}

// done reports what could not be read, and prints the summary of an input.
func (s *minifyRun) done(name string, r answer.MinifyReport, err error) error {
	s.Unread(r.Unread)
	s.Add(answer.Report{Bytes: r.Bytes, Receipt: r.Receipt})
	if s.JSON && !s.Quiet && !command.IsOutput(err) {
		err = errors.Join(err, s.summary(name, r))
	}
	return s.Fail(name, err)
}

// minifyOptions converts the shared options to those of minify, and adds those of its own flags.
func (s *minifyRun) minifyOptions(o options.Find) options.Minify {
	m := s.spec
	m.Run = o.Run
	return m
}

// inPlace minifies a file and replaces it with the result, unless it has changed meanwhile.
func (s *minifyRun) inPlace(ctx context.Context, in *thresh.Input) (r answer.MinifyReport, err error) {
	if thresh.IsRemote(in.Name()) {
		return r, command.Hint(fmt.Errorf("--in-place: %s is on another machine", in.Name()), "use -o to write a file")
	}
	before, err := os.Stat(in.Name())
	switch {
	case in.Compressed():
		return r, command.Hint(fmt.Errorf("--in-place: %s is compressed, and the result would not be", in.Name()),
			"use -o to write another file")
	case err != nil:
		return r, err
	case !before.Mode().IsRegular():
		return r, fmt.Errorf("--in-place: %s is not a regular file, and cannot be replaced", in.Name())
	}
	file, err := outfile.Create(in.Name())
	if err != nil {
		return r, err
	}
	r, err = s.minify(ctx, in, file.OS())
	if write, ok := errors.AsType[*failure.WriteError](err); ok {
		write.Name = file.Name()
	}
	if err == nil && r.Complete {
		var now os.FileInfo
		if now, err = os.Stat(in.Name()); err == nil {
			if os.SameFile(before, now) && now.Size() == before.Size() && now.ModTime().Equal(before.ModTime()) {
				return r, file.Commit(true)
			}
			err = fmt.Errorf("%s changed while it was minified, so it was not replaced: try again", in.Name())
		}
	}
	return r, errors.Join(err, file.Abort())
}

// summary prints the JSON summary of an input: on standard output, unless the result goes there.
func (s *minifyRun) summary(name string, r answer.MinifyReport) error {
	to := s.Err
	if s.Out.ToFile() || s.flags.inPlace {
		to = s.Console.Out
	}
	_, err := fmt.Fprintf(to, `{"file":%s,"bytes":%d,"written":%d,"complete":%v}`+"\n",
		command.Text(name).AppendJSON(nil), r.Bytes, r.Written, r.Complete)
	return s.Out.WriteError(err)
}

// End has nothing to add.
func (s *minifyRun) End(err error) error { return err }

// Note notes what was skipped.
func (s *minifyRun) Note() { s.Skipped() }
