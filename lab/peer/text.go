package peer

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// Rg returns a command of ripgrep that does not depend on the user's configuration.
func Rg(args ...string) []string { return append([]string{"rg", "--no-config"}, args...) }

//go:embed ask_mawk.awk
var askMawk string

// Mawk returns the command that answers the four questions about a file of donations in one pass. Its output
// has a line for each part of the answers, such as "lines: 17".
func Mawk(file string) []string { return []string{"mawk", "-F|", askMawk, file} }

// WcLines returns the command that counts the line feeds of a file.
func WcLines(file string) []string { return []string{"wc", "-l", file} }

// RgLines returns the command that counts the lines of a file, also a last one without a line feed. It ends
// with status 1 and without output if there are none.
func RgLines(file string) []string { return Rg("-c", "", file) }

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
