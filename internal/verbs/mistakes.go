package verbs

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/thresh-dev/thresh/internal/command"
)

// hex matches what may be bytes. It is compiled where a run has failed, as the others need not wait for it.
const hex = `^([0-9a-fA-F?]{2} ?){3,}$`

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
		quoted = append(quoted, command.ShellQuote(arg))
	}
	rest, grep := strings.Join(quoted, " "), "thresh grep"
	if verb == "count" {
		grep = "thresh grep -c"
	}
	flag := "--text"
	if regexp.MustCompile(hex).MatchString(args[0]) {
		flag = "--hex"
	}
	return command.Hint(err, fmt.Sprintf("there is no file %s; did you mean %s %s, or thresh %s %s %s?",
		args[0], grep, rest, verb, flag, rest))
}
