package peer

import (
	"fmt"
	"strconv"
	"strings"
)

// Rg returns a command of ripgrep that does not depend on the user's configuration.
func Rg(args ...string) []string { return append([]string{"rg", "--no-config"}, args...) }

// Cmp returns the command that compares a file with zeros. It ends with status 1 where they differ.
func Cmp(file string) []string { return []string{"cmp", file, "/dev/zero"} }

// ParseCmp returns the offset, from 0, in cmp's message about two files that differ:
// "A B differ: byte 17, line 1", which counts from 1.
func ParseCmp(stdout string) (string, error) {
	_, rest, ok := strings.Cut(stdout, " differ: ")
	if !ok {
		return "", fmt.Errorf("output of cmp: %q", stdout)
	}
	_, rest, _ = strings.Cut(rest, " ") // "byte", or "char" in other locales
	number, _, _ := strings.Cut(rest, ",")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return "", fmt.Errorf("output of cmp: %q: %w", stdout, err)
	}
	return strconv.FormatInt(n-1, 10), nil
}
