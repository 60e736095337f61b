package sql

import (
	"iter"
	"strings"
)

// Split returns the statements of a text, which semicolons separate. Comments become spaces, so that places stay what
// they are: at is where each begins.
func Split(text string) (statements []string, at []int) {
	clean := []byte(text)
	begin := 0
	end := func(i int) {
		if s := string(clean[begin:i]); strings.TrimSpace(s) != "" {
			statements, at = append(statements, s), append(at, begin)
		}
		begin = i + 1
	}
	for i, piece := range pieces(text) {
		switch {
		case isComment(piece):
			blank(clean[i : i+len(piece)])
		case piece == ";":
			end(i)
		}
	}
	end(len(clean))
	return statements, at
}

// pieces yields quoted texts, comments, and the other bytes one by one, with where they are.
func pieces(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := 0; i < len(text); {
			rest := text[i:]
			n := 1
			switch c := rest[0]; {
			case c == '\'' || c == '"' || c == '`':
				n = 1 + quotedLen(rest[1:], c)
			case strings.HasPrefix(rest, "--"):
				n = lenUntil(rest, "\n", 0)
			case strings.HasPrefix(rest, "/*"):
				n = lenUntil(rest[2:], "*/", 2) + 2
			}
			if !yield(i, rest[:n]) {
				return
			}
			i += n
		}
	}
}

func isComment(piece string) bool {
	return strings.HasPrefix(piece, "--") || strings.HasPrefix(piece, "/*")
}

// quotedLen returns how far a quoted text goes, with its closing mark. A doubled mark ends it and begins it anew.
func quotedLen(text string, mark byte) int { return lenUntil(text, string(mark), 1) }

// lenUntil returns where the first mark is, and so many bytes more; or the length of the text if there is none.
func lenUntil(text, mark string, more int) int {
	if i := strings.Index(text, mark); i >= 0 {
		return i + more
	}
	return len(text)
}

// blank overwrites a comment, but not its line feeds.
func blank(comment []byte) {
	for i, c := range comment {
		if c != '\n' {
			comment[i] = ' '
		}
	}
}
