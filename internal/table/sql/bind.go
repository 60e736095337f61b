package sql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bind puts values, which are written as constants, in the places of parameters: ? for one after the other, or $1, $2
// and so on, which without values are columns. It is an error if a value or a parameter has no other. There are spaces
// around each, so that it stays a token of its own.
func Bind(text string, values []string) (string, error) {
	var b strings.Builder
	marks := 0
	for _, piece := range pieces(text) {
		if piece == "?" {
			marks++
		}
	}
	used := make([]bool, len(values))
	next, until := 0, 0
	for i, piece := range pieces(text) {
		digits := 0
		switch {
		case i < until: // the digits of a parameter
			continue
		case piece == "?":
			next++
			if next > len(values) {
				return "", fmt.Errorf("the statement has %d parameters, and there are %s", marks, count(len(values)))
			}
			b.WriteString(" " + values[next-1] + " ")
			used[next-1] = true
			continue
		case piece == "$" && marks == 0 && len(values) > 0:
			for i+1+digits < len(text) && '0' <= text[i+1+digits] && text[i+1+digits] <= '9' {
				digits++
			}
		}
		if digits == 0 {
			b.WriteString(piece)
			continue
		}
		n, err := strconv.Atoi(text[i+1 : i+1+digits])
		if err != nil || n < 1 || n > len(values) {
			return "", fmt.Errorf("the statement has the parameter %s, and there are %s", text[i:i+1+digits],
				count(len(values)))
		}
		b.WriteString(" " + values[n-1] + " ")
		used[n-1], until = true, i+1+digits
	}
	if i := slices.Index(used, false); i >= 0 {
		return "", fmt.Errorf("the statement has no parameter for value %d of %d", i+1, len(values))
	}
	return b.String(), nil
}

func count(values int) string {
	if values == 1 {
		return "1 value"
	}
	return strconv.Itoa(values) + " values"
}
