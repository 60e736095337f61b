package verbs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// grepFlags holds the flags of grep, as typed.
type grepFlags struct {
	command.Shared
	exprs, files, globs, zones       []string
	fixed, extended                  bool
	ignoreCase, smartCase            bool
	invert, word, line               bool
	count, withMatches, withoutMatch bool
	perPattern                       bool
	onlyMatching, number, noNumber   bool
	byteOffset, withFilename         bool
	noFilename, null, text           bool
	after, before, around            int
	max                              int64
	pattern                          string // the argument that is one; "" with -e or -f
	from, to, timeFormat, showZone   string
	utc, follow                      bool
}

// flags declares the flags of grep.
func (f *grepFlags) flags() []command.Flag {
	return slices.Concat(command.Section("Patterns:", []command.Flag{
		{Name: "regexp", Short: "e", To: &f.exprs, Empty: true, Help: "a `PATTERN`; may be repeated: any of them"},
		{Name: "file", Short: "f", To: &f.files,
			Help: "patterns from `FILE`, one a line; may be repeated, - is standard input"},
		{Name: "fixed-strings", Short: "F", To: &f.fixed, Help: "patterns are texts"},
		{Name: "extended-regexp", Short: "E", To: &f.extended, Help: "patterns are regular expressions (default)"},
		{Name: "ignore-case", Short: "i", To: &f.ignoreCase, Help: "ignore the case of letters"},
		{Name: "smart-case", Short: "S", To: &f.smartCase, Help: "ignore it if no pattern has an upper-case letter"},
		{Name: "invert-match", Short: "v", To: &f.invert, Help: "select the lines that do not match"},
		{Name: "word-regexp", Short: "w", To: &f.word, Help: "matches are whole words"},
		{Name: "line-regexp", Short: "x", To: &f.line, Help: "matches are whole lines"},
	}), command.Section("Instead of lines:", []command.Flag{
		{Name: "count", Short: "c", To: &f.count, Help: "print how many lines are selected"},
		{Name: "only-matching", Short: "o", To: &f.onlyMatching,
			Help: "print only the matches, one a line, as grep -o; --output writes a file"},
		{Name: "files-with-matches", Short: "l", To: &f.withMatches,
			Help: "print only the names of files with a selected line, as grep -l"},
		{Name: "files-without-match", Short: "L", To: &f.withoutMatch,
			Help: "print only the names of files without one"},
		{Name: "per-pattern", To: &f.perPattern, Help: "print how often each pattern occurs, in one pass"},
	}), command.Section("How lines are printed:", []command.Flag{
		{Name: "line-number", Short: "n", To: &f.number,
			Help: "print the number of each line (default on a terminal)"},
		{Name: "no-line-number", Short: "N", To: &f.noNumber, Help: "print no line numbers"},
		{Name: "byte-offset", Short: "b", To: &f.byteOffset,
			Help: "print the offset of each line, with -o of each match"},
		{Name: "with-filename", Short: "H", To: &f.withFilename, Help: "print the name of the file before each line"},
		{Name: "no-filename", Short: "h", To: &f.noFilename, Help: "print no names of files"},
		{Name: "after-context", Short: "A", To: &f.after, Natural: "a number of lines",
			Help: "print `N` lines after each selected one"},
		{Name: "before-context", Short: "B", To: &f.before, Natural: "a number of lines",
			Help: "print `N` lines before each selected one"},
		{Name: "context", Short: "C", To: &f.around, Natural: "a number of lines",
			Help: "print `N` lines before and after each selected one"},
		{Name: "max-count", Short: "m", To: &f.max, Natural: "a number of lines",
			Help: "stop after `N` selected lines of each file"},
		{Name: "null", Short: "0", To: &f.null, Help: "print a zero byte after names of files"},
		{Name: "text", Short: "a", To: &f.text, Help: "print lines of binary files, too"},
		{Name: "show-zone", To: &f.showZone,
			Help: "print the times of the lines as clocks in `ZONE` show them: Europe/Berlin, +02:00, UTC, local"},
		f.ColorFlag(),
	}), command.Section("Which files, and which times:", []command.Flag{
		{Name: "follow", To: &f.follow,
			Help: "go on with what is added to the files, through rotations, until an interrupt; begin with their last " +
				"ten lines"},
		{Name: "glob", Short: "g", To: &f.globs,
			Help: "with -r, only files that `GLOB` fits; !GLOB leaves them out; may be repeated"},
		{Name: "from", To: &f.from, Help: "only lines at this `TIME` or later, in a log whose times ascend"},
		{Name: "to", To: &f.to, Help: "only lines before this `TIME`"},
		{Name: "time-format", To: &f.timeFormat, Help: "`FORMAT` of times, of strftime if it holds %, else of Go"},
		{Name: "zone", To: &f.zones,
			Help: "the `ZONE` of times without one: Europe/Berlin, +02:00 (default: this machine's); or what an " +
				"abbreviation is: NAME=+hh:mm, or NAME=none; may be repeated"},
		{Name: "utc", To: &f.utc, Help: "times without a zone are UTC: --zone UTC"},
	}), command.Reword(f.SharedFlags(),
		command.Flag{Name: "json", Help: "print the messages of ripgrep as JSON lines"},
		command.Flag{Name: "output", Help: "write to `FILE`, which appears when it is complete"},
		command.Flag{Name: "quiet", Help: "print nothing, set only the exit status; stop at the first line found"}))
}

// grepConflicts lists the flags that contradict each other.
func grepConflicts() []command.Conflict {
	const (
		instead = "count files-with-matches files-without-match quiet"
		layout  = "only-matching line-number byte-offset after-context before-context context show-zone"
	)
	conflicts := []command.Conflict{
		{Flags: "fixed-strings", With: "extended-regexp", Why: "patterns are texts or expressions"},
		{Flags: "ignore-case", With: "smart-case", Why: "give one"},
		{Flags: "line-number", With: "no-line-number", Why: "give one"},
		{Flags: "with-filename", With: "no-filename", Why: "give one"},
		{Flags: instead + " per-pattern", With: layout, Why: "no line is printed"},
		{Flags: instead, With: "json per-pattern", Why: "each says what to print"},
		{Flags: "quiet", With: "output", Why: "--quiet prints nothing"},
		{Flags: "per-pattern", With: "invert-match max-count", Why: "it counts occurrences, not lines"},
		{Flags: "per-pattern", With: "with-filename no-filename null", Why: "it counts in all inputs together"},
		{Flags: "files-with-matches files-without-match", With: "no-filename", Why: "only names are printed"},
		{Flags: "follow", With: "files-without-match", Why: "any file may get a match"},
		{Flags: "follow", With: "byte-offset offset length", Why: "where a line stands changes with each rotation"},
		{Flags: "follow", With: "recursive", Why: "name the files"},
		{Flags: "follow", With: "output", Why: "a file of --output appears when it is complete"},
		{Flags: "follow", With: "engine workers chunk cache explain dry-run progress",
			Why: "lines are searched as they come"},
		{Flags: "only-matching", With: "invert-match", Why: "lines that do not match have no matches to print"},
		{Flags: "only-matching", With: "after-context before-context context", Why: "context is whole lines"},
		{Flags: "json", With: "only-matching no-line-number no-filename null color",
			Why: "the messages have lines, numbers and names as they are"},
	}
	for one, others, more := strings.Cut(instead, " "); more; one, others, more = strings.Cut(others, " ") {
		conflicts = append(conflicts, command.Conflict{Flags: one, With: others, Why: "each says what to print"})
	}
	return conflicts
}

// options checks the flags and returns them as options of the library.
func (f *grepFlags) options(c *command.Run) (o options.Grep, err error) {
	o = options.Grep{Lines: options.Lines{Run: c.Options.Run, Offset: c.Options.Offset, Length: c.Options.Length,
		Invert: f.invert, Before: f.around, After: f.around, Text: f.text || f.follow},
		Names: f.withFilename || c.Several && !f.noFilename,
		Null:  f.null, Offsets: f.byteOffset, OnlyMatches: f.onlyMatching, JSON: f.JSON}
	if c.Given("after-context") {
		o.After = f.after
	}
	if c.Given("before-context") {
		o.Before = f.before
	}
	if c.Given("max-count") {
		o.Max = &f.max
	}
	if o.Times, err = f.times(); err != nil {
		return o, err
	}
	o.LineNumbers = f.number || c.Out.Terminal() && !f.noNumber && f.from == ""
	o.Color = c.Out.Colors()
	switch {
	case f.perPattern:
		o.Mode, o.JSON = options.GrepPatterns, false
	case f.count:
		o.Mode = options.GrepCount
	case f.withMatches, f.withoutMatch, f.Quiet:
		o.Mode = options.GrepAny
	}
	return o, nil
}

// times returns the times of the lines that are wanted; nil if all are.
func (f *grepFlags) times() (*options.LogTimes, error) {
	if f.from == "" && f.to == "" && f.showZone == "" {
		if f.timeFormat != "" || f.utc || len(f.zones) > 0 {
			return nil, errors.New("--time-format, --zone and --utc need --from, --to or --show-zone: they say how times " +
				"are written")
		}
		return nil, nil
	}
	t := options.LogTimes{Format: f.timeFormat}
	if f.showZone != "" {
		var shown options.LogTimes
		if err := thresh.AddZone(&shown, f.showZone); err != nil || shown.Zone == nil {
			return nil, fmt.Errorf("--show-zone: %q is not a zone: write Europe/Berlin, +02:00, UTC or local", f.showZone)
		}
		t.Show = shown.Zone
	}
	if f.utc {
		t.Zone = time.UTC
	}
	for i, text := range f.zones {
		if slices.Contains(f.zones[:i], text) {
			continue
		}
		if err := thresh.AddZone(&t, text); err != nil {
			return nil, fmt.Errorf("--zone: %w", err)
		}
	}
	now := time.Now()
	for _, arg := range []struct {
		flag, text string
		to         *time.Time
	}{{"from", f.from, &t.From}, {"to", f.to, &t.To}} {
		if arg.text == "" || f.follow && arg.text == "now" && arg.flag == "from" { // from what comes, with and without times
			continue
		}
		var err error
		if *arg.to, err = thresh.ParseTime(arg.text, t, now); err != nil {
			return nil, fmt.Errorf("--%s: %w", arg.flag, err)
		}
	}
	if f.from != "" && f.to != "" && !t.From.Before(t.To) {
		return nil, fmt.Errorf("--from %s is not before --to %s: no line can be between them", f.from, f.to)
	}
	return &t, nil
}

// patterns returns the patterns, and the arguments that are inputs.
func (f *grepFlags) patterns(c *command.Console, args []string) (question.Lines, []string, error) {
	p := question.Lines{Patterns: f.exprs, Fixed: f.fixed, IgnoreCase: f.ignoreCase, SmartCase: f.smartCase,
		Word: f.word, Whole: f.line}
	if len(f.exprs)+len(f.files) == 0 {
		if len(args) == 0 {
			return p, nil, errors.New("no pattern: thresh grep PATTERN [FILE...]")
		}
		if f.from+f.to+f.showZone != "" && len(args) == 1 && command.IsFile(args[0]) {
			p.Patterns = []string{""} // all lines of these times
		} else {
			f.pattern = args[0]
			p.Patterns, args = args[:1], args[1:]
		}
	}
	for _, name := range f.files {
		list, err := readPatterns(c, name)
		if err != nil {
			return p, nil, err
		}
		p.Patterns = append(p.Patterns, list...)
	}
	return p, args, nil
}

// readPatterns returns the lines of a file.
func readPatterns(c *command.Console, name string) (list []string, err error) {
	in := c.In
	if name != "-" {
		if in, err = os.Open(name); err != nil {
			return nil, fmt.Errorf("--file: patterns: %w", err)
		}
		defer in.Close()
	}
	r := bufio.NewReader(in)
	for {
		text, err := r.ReadString('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("--file: patterns: %w", err)
		}
		if text != "" {
			list = append(list, strings.TrimSuffix(text, "\n"))
		}
		if err == io.EOF {
			return list, nil
		}
	}
}

// inputs returns the inputs: those that were named, or else standard input or this folder.
func (f *grepFlags) inputs(c *command.Call, args []string) ([]string, error) {
	switch {
	case len(f.globs) > 0 && !f.Recursive:
		return nil, errors.New("--glob needs --recursive: it chooses files below folders")
	case len(args) > 0 || f.Recursive:
		return args, nil
	case f.follow:
		return nil, command.Hint(errors.New("--follow needs the name of a file"), f.fileAsPattern())
	case command.IsTerminal(c.In):
		return nil, command.Hint(errors.New("no input: name a file, or a folder with -r"), f.fileAsPattern())
	}
	if hint := f.fileAsPattern(); hint != "" && !f.Quiet {
		fmt.Fprintf(c.Err, "thresh: note: no input is named, so standard input is searched; %s\n", hint)
	}
	return []string{"-"}, nil
}

// fileAsPattern returns a hint if the pattern is the name of a file, and no file is named; "" otherwise.
func (f *grepFlags) fileAsPattern() string {
	if len(f.exprs)+len(f.files) > 0 || !command.IsFile(f.pattern) {
		return ""
	}
	return fmt.Sprintf("%s is a file: write the pattern before it, thresh grep PATTERN %[1]s", f.pattern)
}

// globs says which files below folders are searched. The last glob that fits decides; if none fits, files are
// searched unless there is a glob without "!".
type globs struct {
	list    []glob
	exclude bool // what no glob fits
}

type glob struct {
	pattern string
	deny    bool
}

func newGlobs(texts []string) (globs, error) {
	var g globs
	for _, text := range texts {
		pattern, deny := strings.CutPrefix(text, "!")
		pattern, rooted := strings.CutPrefix(pattern, "/")
		if strings.HasSuffix(pattern, "/") {
			pattern += "**"
		}
		if !rooted && !strings.Contains(strings.TrimSuffix(pattern, "/**"), "/") {
			pattern = "**/" + pattern
		}
		if !doublestar.ValidatePattern(pattern) {
			return g, fmt.Errorf("--glob %q: not a pattern", text)
		}
		g.list = append(g.list, glob{pattern, deny})
		g.exclude = g.exclude || !deny
	}
	return g, nil
}

// allow reports whether a file is searched: whether its path, or that of a folder above it, fits.
func (g *globs) allow(name string) bool {
	if len(g.list) == 0 {
		return !g.exclude
	}
	name = strings.TrimPrefix(filepath.ToSlash(filepath.Clean(name)), "/")
	for i := len(g.list) - 1; i >= 0; i-- {
		for path := name; path != "." && path != ""; {
			if ok, _ := doublestar.Match(g.list[i].pattern, path); ok && (path == name || g.list[i].deny) {
				return !g.list[i].deny
			}
			at := strings.LastIndexByte(path, '/')
			path = path[:max(at, 0)]
		}
	}
	return !g.exclude
}
