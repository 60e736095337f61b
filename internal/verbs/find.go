package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/options"
)

// findFlags holds the flags of find, as typed.
type findFlags struct {
	command.Shared
	selector
	first, all bool
	limit      int64
	context    int64
	line       bool
	byteOffset bool
}

// Find is the verb that prints offsets.
func Find() *command.Verb {
	f := new(findFlags)
	return &command.Verb{
		Name:  "find",
		Usage: "[flags] [FILE...]",
		Short: "where is it? offsets of a value, a byte pattern, a text, non-zero",
		Long: `find prints the byte offset of the first match in each input, or with --all of
every match in ascending order. Without FILE, or with "-", it reads standard
input, unless that is a terminal and FILE is missing; with -r and no FILE, the
files below this folder. With several inputs, or with -r, each line is
FILE:OFFSET.

What to look for:
  Say what to look for with --nonzero, --text, --hex or --regex, or with
  --type and a comparison. --text, --hex and --regex may be repeated: anything
  that matches one of them is found, in a single pass. If several match at the
  same offset, the one given first wins, as with rg -e A -e B. If matches
  overlap, the first one is reported, as with grep -o. A regular expression
  never matches across a line feed; ^ and $ match at the start and the end of
  a line.

Comparisons:
  Several comparisons must all hold, except that several --eq are
  alternatives, and so are several --between, and --nan with --inf. A number
  that the type cannot hold is an error; a fraction is rounded to the nearest
  float.

Compressed inputs:
  Compressed inputs are recognised by their content, not by their names, and
  decompressed while they are read:
    ` + decompress.Names() + `
  ARCHIVE.zip:MEMBER reads one member of a zip archive; -r reads all of them.
  Offsets are those in the decompressed content. An input in a recognised
  format that cannot be read is an error. So is a file named .gz (or .zst, and
  so on) that is not compressed: its beginning is lost. Block devices are
  never decompressed.

Files of tensors:
  A .npy, .npz, .safetensors or .gguf file says itself which values it holds:
  each of its tensors is searched by its own type, without --type, and
  FILE:TENSOR is one of them. Matches are FILE:TENSOR[i,j]:OFFSET, outermost
  index first. Tensors that are quantised are named and not searched. --type
  must agree with the file. --no-decompress reads such a file as it is.

Around a match:
  -l prints the line of the match, at most 4096 bytes of it on either side.
  With -l or -C a pipe is searched by a single worker, which keeps the bytes
  around each match. On a terminal, numbers are explained and matches have
  colours; -b prints the bare number.

Ranges:
  With one input, a range (--offset, --length) beyond its end is an error.
  With several inputs, or with -r, each input is searched as far as it goes.

Exit status:
  0    found
  1    not found
  2    wrong usage, or an input could not be opened
  3    part of an input could not be read, so the answer may be incomplete;
       each unread range is printed
  130  interrupted`,
		Examples: `  thresh find --nonzero disk.img                   is it blank? if not, where?
  thresh find --text 'req=7f3a9c' -b app.log       offset of a request in a log
  thresh find --hex '7F 45 4C 46 ?? 01' --all dump.bin      ELF files in a dump
  thresh find --type i64 --ne 0 haystack.bin       first 8-byte word not zero
  thresh find --type f32le --nan weights.bin       first NaN
  thresh find --nan --inf --all model.safetensors  in which tensors, and where
  thresh find --regex 'user=[0-9]{9}' -r logs/     first match in each log
  thresh find --text ERROR -l --limit 5 app.log    first five, with their lines
  thresh find --text panic --text fatal -i app.log first of either, in any case`,
		Common: "nonzero text hex regex type eq nan all limit line recursive json",
		Flags: slices.Concat(f.selector.flags(), command.Section("Matches:", []command.Flag{
			{Name: "first", To: &f.first, Help: "print the first match in each input (default)"},
			{Name: "all", To: &f.all, Help: "print every match"},
			{Name: "limit", To: &f.limit, Positive: "--all prints every match", Help: "print at most `N` matches in each input"},
			{Name: "context", Short: "C", To: &f.context, Natural: "a number of bytes to print around each match",
				Help: "print a hexdump with `N` bytes around each match"},
			{Name: "line", Short: "l", To: &f.line, Help: "print the line of text that the match begins in"},
			{Name: "byte-offset", Short: "b", To: &f.byteOffset, Help: "print only the offset (default)"},
		}), f.SharedFlags(), []command.Flag{f.ColorFlag()}),
		Conflicts: append(f.selector.conflicts(), findConflicts...),
		Elsewhere: map[string]string{
			"e": "--regex", "regexp": "--regex", "n": "thresh grep -n", "c": "thresh count", "count": "thresh count",
			"v": "thresh grep -v", "A": "thresh grep -A", "B": "thresh grep -B", "pattern": "--text, --hex or --regex",
			"t": "--type", "F": "--text", "a": "--all", "w": "thresh grep -w",
			"x": "--hex", "bytes": "--hex", "not": "--nonzero, or --type T --ne V", "zero": "--nonzero",
			"value": "--type T --eq V", "name": "thresh grep -rl finds files by what is in them, find by their names.",
		},
		ArgsMax:  -1,
		Searches: true,
		Quick:    true,
		Run:      f.run,
	}
}

// findConflicts lists the flags that contradict each other.
var findConflicts = []command.Conflict{
	{Flags: "first", With: "all limit", Why: "each says how many matches to print"},
	{Flags: "all", With: "limit", Why: "each says how many matches to print"},
	{Flags: "line", With: "context", Why: "print the line of text, or a hexdump"},
	{Flags: "byte-offset", With: "line context json", Why: "--byte-offset prints only the offset"},
	{Flags: "json", With: "color", Why: "JSON has no colours"},
	{Flags: "json", With: "context", Why: "JSON has no hexdump; use --line for the line of text"},
	{Flags: "quiet", With: "all limit line context byte-offset json output color",
		Why: "--quiet stops at the first match and prints nothing"},
}

func (f *findFlags) run(ctx context.Context, c *command.Call) error {
	query, err := f.selector.query(c)
	typeless, err := f.selector.typeless(err)
	if err == errNothingAsked {
		err = patternAsFile("find", c.Args, err)
	}
	run, runErr := command.NewRun(c, &f.Shared, c.Args)
	if err := errors.Join(err, runErr, run.OutputIsInput(true)); err != nil {
		return err
	}
	run.Options.Limit = f.matches()
	run.Options.Context = f.around()
	s := &findRun{flags: f, query: query, out: newFindOutput(run, f)}
	s.Local = command.NewLocal(ctx, run)
	s.Archives, s.Lines = true, f.all
	s.Plan = func(in *thresh.Input, o options.Find) (thresh.Plan, error) { return thresh.Explain(in, query, o) }
	s.One, s.Many, s.Done = s.one, s.many, s.done
	s.tensors = newTensors(&s.Scan, &f.selector, typeless, s.inTensors)
	return run.Do(ctx, s)
}

// matches returns how many matches are printed, 0 for all.
func (f *findFlags) matches() int64 {
	if f.all {
		return 0
	}
	return max(f.limit, 1)
}

// findRun is one run of find.
type findRun struct {
	command.Scan[answer.Report]
	flags   *findFlags
	query   *thresh.Query
	out     *findOutput
	tensors *tensors
}

// one searches a single input.
func (s *findRun) one(ctx context.Context, in *thresh.Input) (answer.Report, error) {
	return thresh.Find(ctx, in, s.query, s.Options, func(hits []answer.Hit) error { return s.hits(in, hits) })
}

// many searches several inputs.
func (s *findRun) many(ctx context.Context, names iter.Seq2[string, error]) error {
	current := hitInput{local: s.Local}
	defer current.close()
	callbacks := s.Callbacks()
	callbacks.Begin = current.begin
	callbacks.Hits = func(name string, hits []answer.Hit) error {
		if s.Options.Context == 0 {
			return s.hits(namedInput{name, nil}, hits)
		}
		in, err := current.at(name)
		if err != nil {
			return err
		}
		return s.hits(in, hits)
	}
	callbacks.Done = func(name string, r answer.Report, err error) error {
		current.end()
		return s.done(name, r, err)
	}
	report, err := thresh.FindAll(ctx, names, s.query, s.Options, callbacks)
	s.AddReceipt(report.Receipt)
	return err
}

// hitInput is the input that the current hits are in, kept open to print what is around them.
type hitInput struct {
	local *command.Local
	in    *thresh.Input
	own   bool // opened by at, so close must close it
}

// begin takes over an input that the scan has open.
func (l *hitInput) begin(in *thresh.Input) {
	l.close()
	l.in, l.own = in, false
}

// at returns the input of that name, opening it if needed. The previous one is closed.
func (l *hitInput) at(name string) (in *thresh.Input, err error) {
	if l.in == nil || l.in.Name() != name {
		l.close()
		l.own = true
		l.in, err = l.local.Open(name)
	}
	return l.in, err
}

// end forgets the input that begin took over; the scan closes it.
func (l *hitInput) end() {
	if !l.own {
		l.in = nil
	}
}

func (l *hitInput) close() {
	if l.own && l.in != nil {
		l.in.Close() // only read from, so an error loses nothing
	}
	l.in = nil
}

// hits prints the hits of one input. A quiet run ends at the first.
func (s *findRun) hits(in hitSource, hits []answer.Hit) error {
	s.Found = true
	if s.Quiet {
		return command.ErrEnough
	}
	return s.out.hits(in, hits, s.Several)
}

// done adds the report of one input to the total, and prints what was not read or compared.
func (s *findRun) done(name string, r answer.Report, err error) error {
	err = s.Ended(name, err)
	s.Add(r)
	err = cmp.Or(err, tellUnread(s.Run, name, r.Unread))
	if r.Trailing > 0 && r.Complete && !s.Several && (r.Hits == 0 || s.flags.all) {
		s.Notef("%s ends with a partial %s value of %s, which was not compared",
			name, s.flags.selector.typ, numeral.Count(r.Trailing, "byte"))
	}
	return s.Fail(name, err)
}

// End prints the JSON summary, if asked.
func (s *findRun) End(err error) error {
	return cmp.Or(err, s.out.end(s.Total, s.Complete))
}

// Note says for a person how much was searched in vain.
func (s *findRun) Note() {
	s.Skipped()
	if s.Complete && s.Total.Hits == 0 && !s.Quiet && command.IsTerminal(s.Console.Out) {
		fmt.Fprintln(s.Err, "thresh:", nothingFound(s.Total))
	}
}
