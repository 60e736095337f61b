// Package section replaces the parts of Markdown pages that commands write. A part begins with a line
// <!-- NAME --> and ends with <!-- end of NAME -->; the rest of a page is written by people.
package section

import (
	"fmt"
	"os"
	"strings"
)

// Replace returns page with body as its part of that name. The line that ends the part is added if
// there is none.
func Replace(page, name, body string) (string, error) {
	begin, end := marks(name)
	before, rest, ok := strings.Cut(page, begin+"\n")
	if !ok {
		return "", fmt.Errorf("no line %q", begin)
	}
	if strings.Contains(rest, begin+"\n") {
		return "", fmt.Errorf("the line %q comes twice", begin)
	}
	if _, after, ok := strings.Cut(rest, end+"\n"); ok {
		rest = after
	}
	return before + begin + "\n" + strings.TrimRight(body, "\n") + "\n" + end + "\n" + rest, nil
}

// Of returns the part of page with that name, and whether there is one.
func Of(page, name string) (string, bool) {
	begin, end := marks(name)
	_, rest, begun := strings.Cut(page, begin+"\n")
	body, _, ended := strings.Cut(rest, end+"\n")
	return body, begun && ended
}

// Write replaces a part of a file.
func Write(path, name, body string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	page, err := Replace(string(text), name, body)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(page), 0o644)
}

func marks(name string) (begin, end string) {
	return "<!-- " + name + " -->", "<!-- end of " + name + " -->"
}
