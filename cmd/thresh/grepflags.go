package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/thresh-dev/thresh"
)

// grepFlags holds the flags of grep, as typed.
type grepFlags struct {
	shared
	exprs, files, globs              repeatedFlag
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
	color                            string
	pattern                          string // the argument that is one; "" with -e or -f
	from, to, timeFormat             string
	utc                              bool
}

func (f *grepFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.VarP(&f.exprs, "regexp", "e", "a `PATTERN`; may be repeated: any of them")
	flags.VarP(&f.files, "file", "f", "patterns from `FILE`, one a line; may be repeated, - is standard input")
	flags.BoolVarP(&f.fixed, "fixed-strings", "F", false, "patterns are texts")
	flags.BoolVarP(&f.extended, "extended-regexp", "E", false, "patterns are regular expressions (default)")
	flags.BoolVarP(&f.ignoreCase, "ignore-case", "i", false, "ignore the case of letters")
	flags.BoolVarP(&f.smartCase, "smart-case", "S", false, "ignore it if no pattern has an upper-case letter")
	flags.BoolVarP(&f.invert, "invert-match", "v", false, "select the lines that do not match")
	flags.BoolVarP(&f.word, "word-regexp", "w", false, "matches are whole words")
	flags.BoolVarP(&f.line, "line-regexp", "x", false, "matches are whole lines")
	flags.BoolVarP(&f.count, "count", "c", false, "print how many lines are selected")
	flags.BoolVarP(&f.onlyMatching, "only-matching", "o", false,
		"print only the matches, one a line, as grep -o; --output writes a file")
	flags.BoolVarP(&f.number, "line-number", "n", false, "print the number of each line (default on a terminal)")
	flags.BoolVarP(&f.noNumber, "no-line-number", "N", false, "print no line numbers")
	flags.BoolVarP(&f.byteOffset, "byte-offset", "b", false, "print the offset of each line, with -o of each match")
	flags.BoolVarP(&f.withFilename, "with-filename", "H", false, "print the name of the file before each line")
	flags.BoolVarP(&f.noFilename, "no-filename", "h", false, "print no names of files")
	flags.BoolVarP(&f.withMatches, "files-with-matches", "l", false,
		"print only the names of files with a selected line, as grep -l")
	flags.BoolVarP(&f.withoutMatch, "files-without-match", "L", false, "print only the names of files without one")
	flags.IntVarP(&f.after, "after-context", "A", 0, "print `N` lines after each selected one")
	flags.IntVarP(&f.before, "before-context", "B", 0, "print `N` lines before each selected one")
	flags.IntVarP(&f.around, "context", "C", 0, "print `N` lines before and after each selected one")
	flags.Int64VarP(&f.max, "max-count", "m", 0, "stop after `N` selected lines of each file")
	flags.BoolVarP(&f.text, "text", "a", false, "print lines of binary files, too")
	flags.BoolVarP(&f.null, "null", "0", false, "print a zero byte after names of files")
	flags.VarP(&f.globs, "glob", "g", "with -r, only files that `GLOB` fits; !GLOB leaves them out; may be repeated")
	flags.StringVar(&f.color, "color", "auto", "colours: `WHEN` is auto, always or never")
	flags.BoolVar(&f.perPattern, "per-pattern", false, "print how often each pattern occurs, in one pass")
	flags.StringVar(&f.from, "from", "", "only lines at this `TIME` or later, in a log whose times ascend")
	flags.StringVar(&f.to, "to", "", "only lines before this `TIME`")
	flags.StringVar(&f.timeFormat, "time-format", "", "`FORMAT` of times, of strftime if it holds %, else of Go")
	flags.BoolVar(&f.utc, "utc", false, "times without a zone are UTC (default: local time, by TZ)")
	flags.StringVar(&f.output, "output", "", "write to `FILE`, which appears when it is complete")
	f.shared.add(cmd)
	flags.Bool("help", false, "help for grep")
	flags.Lookup("json").Usage = "print the messages of ripgrep as JSON lines"
	flags.Lookup("quiet").Usage = "print nothing, set only the exit status; stop at the first line found"
}

// grepRules lists the flags that contradict each other.
func grepRules() []rule {
	instead := []string{"count", "files-with-matches", "files-without-match", "quiet"}
	layout := []string{"only-matching", "line-number", "byte-offset", "after-context", "before-context", "context"}
	rules := []rule{
		{[]string{"fixed-strings"}, []string{"extended-regexp"}, "patterns are texts or expressions"},
		{[]string{"ignore-case"}, []string{"smart-case"}, "give one"},
		{[]string{"line-number"}, []string{"no-line-number"}, "give one"},
		{[]string{"with-filename"}, []string{"no-filename"}, "give one"},
		{append(instead, "per-pattern"), layout, "no line is printed"},
		{instead, []string{"json", "per-pattern"}, "each says what to print"},
		{[]string{"quiet"}, []string{"output"}, "--quiet prints nothing"},
		{[]string{"per-pattern"}, []string{"invert-match", "max-count"}, "it counts occurrences, not lines"},
		{[]string{"per-pattern"}, []string{"with-filename", "no-filename", "null"}, "it counts in all inputs together"},
		{[]string{"files-with-matches", "files-without-match"}, []string{"no-filename"}, "only names are printed"},
		{[]string{"only-matching"}, []string{"invert-match"}, "lines that do not match have no matches to print"},
		{[]string{"only-matching"}, []string{"after-context", "before-context", "context"}, "context is whole lines"},
		{[]string{"json"}, []string{"only-matching", "no-line-number", "no-filename", "null", "color"},
			"the messages have lines, numbers and names as they are"},
	}
	for i, one := range instead {
		rules = append(rules, rule{[]string{one}, instead[i+1:], "each says what to print"})
	}
	return rules
}

// options checks the flags and returns them as options of the library.
func (f *grepFlags) options(flags *pflag.FlagSet, c *console) (thresh.GrepOptions, error) {
	shared, err := f.shared.options(flags)
	err = errors.Join(err, oneOf("color", f.color, occasions...))
	if f.output == "-" { // standard output
		f.output = ""
	}
	for _, name := range []string{"after-context", "before-context", "context", "max-count"} {
		if strings.HasPrefix(flags.Lookup(name).Value.String(), "-") {
			err = errors.Join(err, fmt.Errorf("--%s %s is negative: give a number of lines", name, flags.Lookup(name).Value))
		}
	}
	o := thresh.GrepOptions{Options: shared, Invert: f.invert, Before: f.around, After: f.around,
		Text: f.text, Null: f.null, Offsets: f.byteOffset, OnlyMatches: f.onlyMatching, JSON: f.json}
	if flags.Changed("after-context") {
		o.After = f.after
	}
	if flags.Changed("before-context") {
		o.Before = f.before
	}
	if flags.Changed("max-count") {
		o.Max = &f.max
	}
	times, timesErr := f.times()
	if o.Times = times; timesErr != nil {
		return o, errors.Join(err, timesErr)
	}
	terminal := isTerminal(c.out) && f.output == ""
	o.LineNumbers = f.number || terminal && !f.noNumber && f.from == ""
	o.Color = f.shared.colors(f.color, c.out)
	switch {
	case f.perPattern:
		o.Mode, o.JSON = thresh.CountPatterns, false
	case f.count:
		o.Mode = thresh.CountLines
	case f.withMatches, f.withoutMatch, f.quiet:
		o.Mode = thresh.AnyLine
	}
	return o, err
}

// times returns the times of the lines that are wanted; nil if all are.
func (f *grepFlags) times() (*thresh.LogTimes, error) {
	if f.from == "" && f.to == "" {
		if f.timeFormat != "" || f.utc {
			return nil, errors.New("--time-format and --utc need --from or --to: they say how its times are written")
		}
		return nil, nil
	}
	t := thresh.LogTimes{Format: f.timeFormat}
	if f.utc {
		t.Zone = time.UTC
	}
	now := time.Now()
	for _, arg := range []struct {
		flag, text string
		to         *time.Time
	}{{"from", f.from, &t.From}, {"to", f.to, &t.To}} {
		if arg.text == "" {
			continue
		}
		var err error
		if *arg.to, err = t.ParseTime(arg.text, now); err != nil {
			return nil, fmt.Errorf("--%s: %w", arg.flag, err)
		}
	}
	if f.from != "" && f.to != "" && !t.From.Before(t.To) {
		return nil, fmt.Errorf("--from %s is not before --to %s: no line can be between them", f.from, f.to)
	}
	return &t, nil
}

// patterns returns the patterns, and the arguments that are inputs.
func (f *grepFlags) patterns(c *console, args []string) (thresh.LinePatterns, []string, error) {
	p := thresh.LinePatterns{Patterns: f.exprs, Fixed: f.fixed, IgnoreCase: f.ignoreCase, SmartCase: f.smartCase,
		Word: f.word, Line: f.line}
	if len(f.exprs)+len(f.files) == 0 {
		if len(args) == 0 {
			return p, nil, errors.New("no pattern: thresh grep PATTERN [FILE...]")
		}
		f.pattern = args[0]
		p.Patterns, args = args[:1], args[1:]
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
func readPatterns(c *console, name string) (list []string, err error) {
	in := c.in
	if name != "-" {
		if in, err = os.Open(name); err != nil {
			return nil, fmt.Errorf("patterns: %w", err)
		}
		defer in.Close()
	}
	r := bufio.NewReader(in)
	for {
		text, err := r.ReadString('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("patterns: %w", err)
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
func (f *grepFlags) inputs(cmd *cobra.Command, c *console, args []string) ([]string, error) {
	switch {
	case len(f.globs) > 0 && !f.recursive:
		return nil, errors.New("--glob needs --recursive: it chooses files below folders")
	case len(args) > 0:
		return args, errors.Join(noEmptyName(args), receiptFormat(cmd.Flags(), args))
	case f.recursive:
		return []string{"."}, nil
	case isTerminal(c.in):
		return nil, &hintedError{errors.New("no input: name a file, or a folder with -r"), f.fileAsPattern()}
	}
	if hint := f.fileAsPattern(); hint != "" && !f.quiet {
		fmt.Fprintf(c.err, "thresh: note: no input is named, so standard input is searched; %s\n", hint)
	}
	return []string{"-"}, nil
}

// fileAsPattern returns a hint if the pattern is the name of a file, and no file is named; "" otherwise.
func (f *grepFlags) fileAsPattern() string {
	if len(f.exprs)+len(f.files) > 0 || !isFile(f.pattern) {
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
