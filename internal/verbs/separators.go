package verbs

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/options"
)

// notations are the values of --numbers.
var notations = []string{"de", "fr", "ch", "en"}

// runsOfBlanks are values of --delimiter for runs of blanks.
const runsOfBlanks = " +"

// separate sets what a value of --delimiter says.
func separate(d *options.Dialect, delim string) error {
	if delim == runsOfBlanks || delim == `\s+` {
		d.Blanks = true
		return nil
	}
	text, err := unescape("delimiter", delim)
	switch {
	case err != nil:
		return err
	case len(text) == 0:
		return errors.New("--delimiter: no text; give what is between fields, like , ; | or \\t, or json")
	case len(text) == 1:
		d.Delim = text[0]
	default:
		d.Separator = text
	}
	return nil
}

// unescape returns the text that the value of a flag stands for: \t is a tab, \x01 a byte by its number, \0 the zero
// byte, and \\ a backslash.
func unescape(flag, value string) (string, error) {
	if value == `\` {
		return value, nil
	}
	var text strings.Builder
	for rest := value; rest != ""; {
		c := rest[0]
		if rest = rest[1:]; c != '\\' {
			text.WriteByte(c)
			continue
		}
		kind, n := "", 0
		if rest != "" {
			kind, n = rest[:1], 1
		}
		switch kind {
		case "t":
			c = '\t'
		case "0":
			c = 0
		case `\`:
		default:
			b, err := strconv.ParseUint(rest[min(n, len(rest)):min(3, len(rest))], 16, 8)
			if kind != "x" || len(rest) < 3 || err != nil {
				return "", fmt.Errorf(`--%s %q: a backslash begins \t, \0, \x01 or \\`, flag, value)
			}
			c, n = byte(b), 3
		}
		text.WriteByte(c)
		rest = rest[n:]
	}
	return text.String(), nil
}

// widths returns the numbers of a value of --widths, 0 for the rest of the line.
func widths(list string) (all []int, err error) {
	for i, item := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(item))
		switch {
		case strings.TrimSpace(item) == "*" && i == strings.Count(list, ","):
			n = 0
		case err != nil || n < 1:
			return nil, fmt.Errorf("--widths %s: %q is no width; give numbers of characters, like 8,20,10 or 8,20,*", list, item)
		}
		all = append(all, n)
	}
	return all, nil
}
