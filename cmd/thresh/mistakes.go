package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// isFile reports whether a name is that of a file that exists. Folders are no files.
func isFile(name string) bool {
	info, err := os.Stat(name)
	return name != "" && err == nil && !info.IsDir()
}

// patternAsFile adds a hint to the error that nothing is asked, if the first argument is no file, but
// looks like the pattern of grep.
func patternAsFile(verb string, args []string, err error) error {
	if len(args) == 0 || args[0] == "-" || len(args) == 1 && strings.ContainsAny(args[0], "*?/") {
		return err
	}
	if _, statErr := os.Lstat(args[0]); statErr == nil {
		return err
	}
	var quoted []string
	for _, arg := range args {
		quoted = append(quoted, shellQuote(arg))
	}
	rest, grep := strings.Join(quoted, " "), "thresh grep"
	if verb == "count" {
		grep = "thresh grep -c"
	}
	return &hintedError{err, fmt.Sprintf("there is no file %s; did you mean %s %s, or thresh %s --text %s?",
		args[0], grep, rest, verb, rest)}
}

// shellQuote returns an argument as it is typed in a shell.
func shellQuote(arg string) string {
	if arg != "" && !strings.ContainsFunc(arg, func(c rune) bool {
		return !(unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("-_./:=,+@%", c))
	}) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// receiptFormat returns an error if the format of --receipt stands after a space, and so is taken for a
// file, which does not exist.
func receiptFormat(flags *pflag.FlagSet, args []string) error {
	if !given(flags, "receipt") {
		return nil
	}
	for _, arg := range args {
		if _, err := os.Lstat(arg); slices.Contains(receiptFormats, arg) && err != nil {
			return fmt.Errorf("--receipt %s: write --receipt=%[1]s, with an equals sign (%[1]s is taken for a file)", arg)
		}
	}
	return nil
}

// elsewhere are flags of other programs, and what they are called here, by verb; "" is any verb.
var elsewhere = map[string]map[string]string{
	"": {
		"no-mmap": "--engine=pread", "mmap": "--engine=mmap", "threads": "--workers", "jobs": "--workers",
		"j": "--workers", "skip": "--offset", "out": "--output", "silent": "--quiet", "colour": "--color",
		"R": "--recursive",
		"z": "nothing: compressed files are recognised",
	},
	"find": {
		"e": "--regex", "regexp": "--regex", "n": "thresh grep -n", "c": "thresh count", "count": "thresh count",
		"v": "thresh grep -v", "A": "thresh grep -A", "B": "thresh grep -B", "pattern": "--text, --hex or --regex",
		"t": "--type", "F": "--text", "a": "--all", "w": "thresh grep -w",
	},
	"count": {
		"c": "stat -c %s FILE, the bytes of a file", "bytes": "stat -c %s FILE, the bytes of a file",
		"e": "--regex", "regexp": "--regex", "line": "--lines", "word": "--words", "characters": "--chars",
		"v": "thresh grep -c -v", "F": "--text", "t": "--type", "sum": "--stats", "min": "--stats",
		"max": "--stats", "mean": "--stats", "records": "--rows",
		"all": "--text, --hex or --regex, which count all",
	},
	"table": {
		"F": "--delimiter", "t": "--delimiter", "separator": "--delimiter", "sep": "--delimiter",
		"delim": "--delimiter", "group-by": "--group", "groupby": "--group", "by": "--group", "filter": "--where",
		"order-by": "--sort", "count": "--rows", "head": "--limit", "sum": "--agg 'sum(COLUMN)'",
		"mean": "--agg 'mean(COLUMN)'", "H": "--header", "no-headers": "--no-header",
	},
	"minify": {
		"i": "--in-place", "c": "nothing: the output is always compact", "check": "-q, which only checks",
		"compact": "nothing: the output is always compact",
	},
	"grep": {
		"P":           "nothing: expressions have the syntax of RE2",
		"perl-regexp": "nothing: expressions have the syntax of RE2", "include": "--glob",
		"exclude": "--glob '!GLOB'", "colour": "--color", "text-only": "--text", "j": "--workers",
		"threads": "--workers", "t": "--glob", "type": "--glob", "hidden": "nothing: hidden files are searched",
		"no-ignore": "nothing: .gitignore is not read", "u": "nothing: no file is left out",
	},
}

// unknownFlag rewords the error for a flag that a command does not have, and suggests one that it has.
func unknownFlag(cmd *cobra.Command, e *pflag.NotExistError) error {
	name := e.GetSpecifiedName()
	typed := "--" + name
	if e.GetSpecifiedShortnames() != "" {
		typed = "-" + name
	}
	err := fmt.Errorf("unknown flag %s of %q", typed, cmd.CommandPath())
	hint := elsewhere[cmd.Name()][name]
	if hint == "" && cmd.HasParent() {
		hint = elsewhere[""][name]
	}
	if hint == "" && e.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if hint = nearest(name, names); hint != "" {
			hint = "--" + hint
		}
	}
	switch {
	case hint == "":
		hint = fmt.Sprintf("%q lists the flags", cmd.CommandPath()+" --help")
	case strings.HasPrefix(hint, "nothing: "):
		hint = strings.TrimPrefix(hint, "nothing: ") + ", so leave it out"
	default:
		hint = "did you mean " + hint + "?"
	}
	return &hintedError{err, hint}
}

// nearest returns the name that is closest to a mistyped one: a longer form of it, or one that differs in
// a third of its letters at most; "" if there is none.
func nearest(typed string, names []string) (best string) {
	least := max(1, min(3, (len(typed)+1)/3)) + 1
	for _, name := range names {
		distance := edits(strings.ToLower(typed), name)
		if len(typed) > 2 && strings.HasPrefix(name, strings.ToLower(typed)) {
			distance = 1
		}
		if distance < least {
			best, least = name, distance
		}
	}
	return best
}

// edits returns how many letters to insert, delete, replace or exchange with a neighbour to turn a into b.
func edits(a, b string) int {
	var before, last []int // rows of the table of distances between prefixes
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			differ := 1
			if a[i-1] == b[j-1] {
				differ = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differ)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// programs are names of other programs that people type as a verb, and what does their work here.
var programs = map[string]string{
	"wc": "thresh count --lines --words", "lines": "thresh count --lines", "words": "thresh count --words",
	"sum": "thresh count --stats, or thresh table --agg 'sum(COLUMN)'", "stats": "thresh count --stats",
	"stat": "thresh count --stats", "histogram": "thresh count --histogram", "hist": "thresh count --histogram",
	"search": "thresh grep for lines, or thresh find for offsets", "rg": "thresh grep", "ag": "thresh grep",
	"ack": "thresh grep", "egrep": "thresh grep", "fgrep": "thresh grep -F", "zgrep": "thresh grep",
	"match": "thresh grep", "locate": "thresh find", "where": "thresh find, or thresh table --where",
	"cmp": "thresh find --nonzero", "csv": "thresh table", "sql": "thresh table", "query": "thresh table",
	"select": "thresh table", "group": "thresh table --group", "top": "thresh table --top", "awk": "thresh table",
	"cut": "thresh table", "duckdb": "thresh table", "jq": "thresh minify for smaller JSON, or thresh table",
	"json": "thresh minify", "compact": "thresh minify", "min": "thresh minify", "http": "thresh serve",
	"server": "thresh serve", "httpd": "thresh serve", "nginx": "thresh serve", "caddy": "thresh serve",
	"proxy": "thresh relay", "socat": "thresh relay", "tunnel": "thresh relay", "forward": "thresh relay",
	"bench": "thresh limits", "benchmark": "thresh limits", "speed": "thresh limits", "limit": "thresh limits",
	"wipe": "thresh blank, which only reads", "erase": "thresh blank, which only reads",
	"time": "thresh wall", "perf": "thresh wall", "profile": "thresh wall", "why": "thresh wall",
	"hyperfine": "thresh wall --compare",
	"zero":      "thresh blank, which only reads", "lint": "thresh vet", "version": "thresh --version",
}

// flagError rewords an error of the flag parser: it names the flag as typed and the reason, and points to
// what may have been meant. The library's own texts name functions of Go, not what to type.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown)
	case errors.As(err, &missing):
		flag := missing.GetFlag()
		value, _ := pflag.UnquoteUsage(flag)
		return &hintedError{fmt.Errorf("--%s needs a value: --%[1]s %s", flag.Name, value),
			fmt.Sprintf("%q lists the flags", cmd.CommandPath()+" --help")}
	case errors.As(err, &invalid):
		return invalidValue(invalid)
	}
	return &hintedError{err, fmt.Sprintf("%q lists the flags", cmd.CommandPath()+" --help")}
}
