package verbs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/options"
)

// cmpFlags holds the flags of cmp, as typed.
type cmpFlags struct {
	command.Shared
	cmpFolderFlags
	command.CertificateFlags
	skip         string
	bytes        command.Size
	all, verbose bool
	printBytes   bool
	block        command.Size
	limit        int64
	context      int64
	silent       bool
	cold, prefix bool
}

// Cmp is the verb that compares two inputs.
func Cmp() *command.Verb {
	f := new(cmpFlags)
	return &command.Verb{
		Name:  "cmp",
		Usage: "[flags] FILE1 [FILE2 [SKIP1 [SKIP2]]]",
		Short: "are they the same? first difference, ranges that differ, folders",
		Long: `cmp says whether two inputs are the same, byte by byte: files, devices, images,
objects, compressed files, and "-", standard input, which is also FILE2 if that
is missing. If not, it prints the first difference, as the cmp of GNU does:
byte and line count from 1, after what is skipped. If one input is a beginning
of the other, it says where the shorter one ends.

All differences:
  --all goes on to the end, and prints each range that differs as its offset in
  FILE1, from 0, and its length, and then how many bytes differ. --block makes
  ranges whole blocks, and joins those that touch. -C N prints a hexdump of
  both inputs with N bytes around the first difference, or around each range.
  -l prints each byte that differs: its number from 1, and both in octal.

` + cmpFoldersHelp + `

` + cmpReportHelp + `

Compressed inputs:
  They are recognised by their content, and what is inside is compared; with
  --no-decompress the files themselves:
    ` + decompress.Names() + `
  ARCHIVE.zip:MEMBER is one member of a zip archive. A block device is never
  decompressed.

How they are read:
  Both inputs are read at once, by all workers, and no further than to the
  first difference. What both files have as a hole is skipped; a hole beside
  data is compared as zeros, without being read. Two names of the same file
  are equal. A device is read directly, past the page cache, and so is what is
  compared with it: what is on it is compared, and not what is in memory.
  --cold does that with files. Where the system does not allow it, a note says
  so. --prefix is for a copy on a larger device: FILE2 may go on.

Exit status:
  0    equal
  1    different
  2    wrong usage, or an input could not be opened
  3    part of an input could not be read, so the answer may be incomplete;
       each unread range is printed
  130  interrupted`,
		Examples: `  thresh cmp a.img b.img                     are they the same?
  thresh cmp image.xz /dev/sdb --prefix --report c.html   is the copy right?
  thresh cmp --all --block 4KiB old.img new.img      which blocks changed?
  thresh cmp -C 32 a.bin b.bin               the bytes around the difference
  thresh cmp -r --meta mode,owner backup/ home/      folders, permissions too
  thresh cmp -s a b && echo same             exit status only
  curl -s https://example.org/f | thresh cmp f       with standard input`,
		Common: "all block context ignore-initial bytes verbose silent prefix cold report recursive json",
		Flags: slices.Concat([]command.Flag{
			{Name: "ignore-initial", Short: "i", To: &f.skip,
				Help: "skip `N` bytes of both inputs, or N:M: N of FILE1 and M of FILE2"},
			{Name: "bytes", Short: "n", To: &f.bytes, Help: "compare at most `N` bytes"},
			{Name: "prefix", To: &f.prefix, Help: "equal as far as FILE1 goes: FILE2 may go on"},
			{Name: "cold", To: &f.cold, Help: "read files past the page cache, as devices always are"},
		}, command.Section("Differences:", []command.Flag{
			{Name: "all", To: &f.all, Help: "print every range that differs, and how many bytes do"},
			{Name: "block", To: &f.block, Positive: "omit the flag for exact ranges",
				Help: "with --all, print whole blocks of `SIZE`, and join those that touch"},
			{Name: "limit", To: &f.limit, Positive: "omit the flag for all of them",
				Help: "with --all or -r, print at most `N` ranges or names, and count the others"},
			{Name: "context", Short: "C", To: &f.context, Natural: "a number of bytes to print around a difference",
				Help: "hexdump of both, `N` bytes around the difference"},
			{Name: "verbose", Short: "l", To: &f.verbose, Help: "print each byte that differs, as cmp -l does"},
			{Name: "print-bytes", Short: "b", To: &f.printBytes, Help: "print the bytes that differ as characters too"},
			{Name: "silent", Short: "s", To: &f.silent, Help: "print nothing, set only the exit status; as --quiet"},
		}), f.cmpFolderFlags.flags(), command.Section("Certificates:", f.Certificates()),
			command.Reword(append(f.SharedFlags(), f.ColorFlag()),
				command.Flag{Name: "offset", Help: "start at byte `N` of both inputs; 0x is hex, k M G are powers of 1000, " +
					"KiB MiB GiB of 1024"},
				command.Flag{Name: "length", Help: "compare at most `N` bytes"},
				command.Flag{Name: "quiet", Help: "print nothing, set only the exit status; stop at the first difference"},
				command.Flag{Name: "recursive", Help: "compare two folders, and all below them, ordered by name"})),
		Conflicts: append([]command.Conflict{
			{Flags: "ignore-initial", With: "offset", Why: "each says where to start"},
			{Flags: "bytes", With: "length", Why: "each says how much to compare"},
			{Flags: "verbose", With: "all block limit context json color", Why: "--verbose prints byte by byte"},
			{Flags: "json", With: "color context print-bytes", Why: "JSON has neither colours nor a hexdump"},
			{Flags: "context", With: "print-bytes", Why: "print a hexdump, or the bytes"},
			{Flags: "quiet silent", With: "all block limit context verbose print-bytes json output color",
				Why: "--quiet stops at the first difference and prints nothing"},
			{Flags: "cold", With: "engine cache", Why: "--cold says how to read"},
		}, slices.Concat(cmpFolderConflicts, cmpReportConflicts)...),
		Elsewhere: map[string]string{
			"q": "--quiet", "skip": "--ignore-initial", "first": "nothing: the first difference is what cmp prints",
			"count": "--all, which says how many bytes differ", "ranges": "--all", "direct": "--cold", "brief": "-s",
		},
		ArgsMax:  -1, // --verify checks any number of certificates
		Searches: true,
		Run:      f.run,
	}
}

func (f *cmpFlags) run(ctx context.Context, c *command.Call) error {
	f.Quiet = f.Quiet || f.silent
	if f.Verify {
		if err := c.Required(); err != nil {
			return err
		}
		return command.VerifyCertificates(c.Console, f.Quiet, c.Args, readComparison)
	}
	if err := f.check(c); err != nil {
		return err
	}
	if f.Recursive {
		return f.folders(ctx, c)
	}
	names := c.Args
	if len(names) == 1 {
		names = []string{names[0], "-"}
	}
	run, err := command.NewRun(c, &f.Shared, names[:min(2, len(names))])
	if err != nil {
		return err
	}
	o, err := f.options(c, run.Options, names)
	if err := errors.Join(err, run.OutputIsInput(true)); err != nil {
		return err
	}
	run.Several = false // one answer about two inputs
	s := &cmpRun{Local: command.NewLocal(ctx, run), flags: f, options: o}
	s.options.Progress = &s.Bytes
	s.Lines = f.all || f.verbose
	s.out = &cmpOutput{Output: run.Out, run: s, color: run.Out.Colors()}
	if len(f.Reports) > 0 && !f.DryRun {
		return run.Do(ctx, newCmpReport(s))
	}
	return run.Do(ctx, s)
}

// check returns an error for flags and arguments that make no sense together.
func (f *cmpFlags) check(c *command.Call) error {
	if err := c.Required(); err != nil {
		return err
	}
	if other := c.First("meta null"); other != "" && !f.Recursive {
		return fmt.Errorf("--%s is about folders: give -r too", other)
	}
	if len(c.Args) > 4 {
		return command.Hint(fmt.Errorf("cmp: one argument too many: %s", command.ShellQuote(c.Args[4])),
			"thresh cmp FILE1 FILE2 compares two inputs")
	}
	if err := f.CertificateFlags.Check(f.Output); err != nil {
		return err
	}
	if !f.all && !f.Recursive && len(f.Reports) == 0 {
		if other := c.First("block limit"); other != "" {
			return fmt.Errorf("--%s is about ranges: give --all too", other)
		}
	}
	return nil
}

// options returns the flags and the skips among the arguments as options of the library.
func (f *cmpFlags) options(c *command.Call, shared options.Find, args []string) (options.Compare, error) {
	o := options.Compare{Run: shared.Run, Offset: shared.Offset, Other: shared.Offset, Length: shared.Length,
		First: !f.all && !f.verbose, BlockBytes: int64(f.block), Prefix: f.prefix, Past: f.cold}
	if c.Given("bytes") {
		o.Length = (*int64)(&f.bytes)
	}
	skips := args[min(2, len(args)):]
	if f.skip != "" {
		if len(skips) > 0 {
			return o, errors.New("-i and SKIP1 each say where to start: give one of them")
		}
		skips = strings.SplitN(f.skip, ":", 2)
		if len(skips) == 1 {
			skips = append(skips, skips[0])
		}
	}
	for i, text := range skips {
		n, err := bytesize.Parse(text)
		if err != nil {
			return o, fmt.Errorf("bytes to skip: %w", err)
		}
		if i == 0 {
			o.Offset = n
		} else {
			o.Other = n
		}
	}
	if f.verbose || f.printBytes || f.context > 0 {
		o.Context = max(f.context, 0) + 2*rowBytes
	}
	return o, nil
}

// cmpRun is one run of cmp.
type cmpRun struct {
	*command.Local
	flags   *cmpFlags
	options options.Compare
	out     *cmpOutput
	inputs  [2]*thresh.Input
	found   answer.Comparison
}

// Ask compares the inputs.
func (s *cmpRun) Ask(ctx context.Context) (err error) {
	for i, name := range s.Inputs {
		if s.inputs[i], err = s.Open(name); err != nil {
			return s.fail(name, err)
		}
		defer s.inputs[i].Close() // only read from, so an error loses nothing
	}
	if s.Explaining() {
		if err := s.PrintPlan(thresh.ExplainCompare(s.inputs[0], s.inputs[1], s.options)); err != nil || s.DryRun {
			return err
		}
	}
	if s.Quiet && s.lengthsDiffer() {
		return command.Exit(command.Nothing, nil)
	}
	bar := s.Bar(s.Inputs[0], s.total(), s.Lines)
	s.found, err = thresh.Compare(ctx, s.inputs[0], s.inputs[1], s.options, s.out.ranges)
	bar.Stop()
	for _, name := range s.Inputs {
		err = s.Ended(name, err)
	}
	s.Add(answer.Report{Bytes: 2 * s.found.Bytes, Skipped: s.found.Skipped, Receipt: s.found.Receipt})
	for _, u := range s.found.Unread {
		err = errors.Join(err, tellUnread(s.Run, u.Name, []failure.UnreadError{u}))
	}
	s.Found = err == nil && s.found.Equal
	if s.Quiet && s.found.First >= 0 && err == nil {
		return command.Exit(command.Nothing, nil) // whatever could not be read
	}
	return s.fail(s.Inputs[0], err)
}

// fail returns the exit status of an error, and says what to do about a folder.
func (s *cmpRun) fail(name string, err error) error {
	if errors.Is(err, failure.ErrDirectory) {
		err = command.Hint(fmt.Errorf("%s is a folder", name), "-r compares folders; or name the files")
	}
	return s.InputError(err)
}

// left returns how many bytes an input has after what is skipped; false if it is not known.
func (s *cmpRun) left(i int) (int64, bool) {
	n, known := s.inputs[i].Bytes()
	return max(n-[]int64{s.options.Offset, s.options.Other}[i], 0), known
}

// lengthsDiffer reports whether sizes alone show that the inputs are not the same.
func (s *cmpRun) lengthsDiffer() bool {
	one, known := s.left(0)
	other, otherKnown := s.left(1)
	if n := s.options.Length; n != nil {
		one, other = min(one, *n), min(other, *n)
	}
	return known && otherKnown && one != other && !(s.options.Prefix && one < other)
}

// total returns how many bytes are compared, 0 if that is not known.
func (s *cmpRun) total() int64 {
	one, known := s.left(0)
	if other, otherKnown := s.left(1); otherKnown && (!known || other < one) {
		one, known = other, true
	}
	if n := s.options.Length; n != nil {
		one = min(one, *n)
	}
	if !known {
		return 0
	}
	return one
}

// End prints what comes after the ranges.
func (s *cmpRun) End(err error) error {
	if err != nil || s.Quiet {
		return err
	}
	return s.out.end()
}

// Note says which inputs could not be read past the page cache.
func (s *cmpRun) Note() {
	if !s.flags.cold || s.found.Bytes == 0 {
		return
	}
	for i, direct := range s.found.Direct {
		if !direct {
			s.Notef("%s was not read past the page cache: it cannot be", s.Inputs[i])
		}
	}
}
