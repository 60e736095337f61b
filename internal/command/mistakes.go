package command

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/thresh-dev/thresh/internal/spelling"
)

// flagError rewords an error of the flag parser: it names the flag as typed and the reason, and points to what may have
// been meant. The library's own texts name functions of Go, not what to type.
func flagError(cmd *cobra.Command, err error, elsewhere map[string]string) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	hint := fmt.Sprintf("%q lists the flags", cmd.CommandPath()+" --help")
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown, elsewhere, hint)
	case errors.As(err, &missing):
		flag := missing.GetFlag()
		value, usage := pflag.UnquoteUsage(flag)
		err, hint = fmt.Errorf("--%s needs a value: --%[1]s %s", flag.Name, value), usage
	case errors.As(err, &invalid):
		return invalidValue(invalid)
	}
	return Hint(err, hint)
}

// invalidValue returns the error for a value that a flag cannot have.
func invalidValue(invalid *pflag.InvalidValueError) error {
	flag, reason := invalid.GetFlag(), invalid.Unwrap()
	switch kind := flag.Value.Type(); {
	case kind == "bool":
		reason = errors.New("the flag takes no value")
	case kind == "duration":
		reason = errors.New("not a duration (write 500ms, 30s or 5m)")
	case errors.Is(reason, strconv.ErrRange):
		reason = errors.New("too large")
	case errors.Is(reason, strconv.ErrSyntax):
		reason = errors.New("not a whole number")
	}
	return fmt.Errorf("--%s %q: %w", flag.Name, invalid.GetValue(), reason)
}

// anyVerb are flags of other programs, and what they are called in all verbs.
var anyVerb = map[string]string{
	"no-mmap": "--engine=pread", "mmap": "--engine=mmap", "threads": "--workers", "jobs": "--workers",
	"j": "--workers", "skip": "--offset", "out": "--output", "silent": "--quiet", "colour": "--color",
	"R": "--recursive", "since": "thresh grep --from TIME", "until": "thresh grep --to TIME",
	"follow": "tail -F FILE | thresh grep PATTERN follows a file.",
	"z":      "nothing: compressed files are recognised", "decompress": "nothing: compressed files are recognised",
	"sum": "thresh table --agg 'sum(COLUMN)'", "sort-by": "--sort", "order-by": "--sort",
	"columns": "thresh table --columns", "per-file": "nothing: of several files each has a line",
	"pretty": "jq . FILE indents JSON.",
}

// unknownFlag rewords the error for a flag that a command does not have, and suggests one that it has.
func unknownFlag(cmd *cobra.Command, e *pflag.NotExistError, elsewhere map[string]string, otherwise string) error {
	name := e.GetSpecifiedName()
	typed, short := "--"+name, e.GetSpecifiedShortnames() != ""
	if short {
		typed = "-" + name
	}
	err := fmt.Errorf("unknown flag %s of %q", typed, cmd.CommandPath())
	hint := elsewhere[name]
	if hint == "" && cmd.HasParent() {
		hint = anyVerb[name]
	}
	if hint == "" && !short {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if hint = Nearest(name, names); hint != "" {
			hint = "--" + hint
		}
	}
	if hint == "" {
		return Hint(err, otherwise)
	}
	return Hint(err, Suggest(hint))
}

// Suggest returns the hint that names what does the work of a word or flag of another program: what to type, a sentence
// with its full stop, or "nothing: " and why nothing is needed.
func Suggest(what string) string {
	if why, ok := strings.CutPrefix(what, "nothing: "); ok {
		return why + ", so leave it out"
	}
	if sentence, ok := strings.CutSuffix(what, "."); ok {
		return sentence
	}
	return "did you mean " + what + "?"
}

// Nearest returns the name that is closest to a mistyped one: a longer form of it, or one that differs in a third of
// its letters, two at most; "" if there is none.
func Nearest(typed string, names []string) (best string) {
	least := max(1, min(2, (len(typed)+1)/3)) + 1
	for _, name := range names {
		distance := spelling.Distance(strings.ToLower(typed), name)
		if len(typed) > 2 && strings.HasPrefix(name, strings.ToLower(typed)) {
			distance = 1
		}
		if distance < least {
			best, least = name, distance
		}
	}
	return best
}

// IsFile reports whether a name is that of a file that exists. Folders are no files.
func IsFile(name string) bool {
	info, err := os.Stat(name)
	return name != "" && err == nil && !info.IsDir()
}

// ShellQuote returns an argument as it is typed in a shell: in single quotes, or in double ones if it has single ones
// and nothing that a shell reads in double ones.
func ShellQuote(arg string) string {
	if arg != "" && !strings.ContainsFunc(arg, func(c rune) bool {
		return !(unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("-_./:=,+@%", c))
	}) {
		return arg
	}
	if strings.Contains(arg, "'") && !strings.ContainsAny(arg, "\"$\\!`") {
		return `"` + arg + `"`
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
