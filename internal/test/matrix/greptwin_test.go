package matrix

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// This is the plain twin of grep: it holds all lines in memory and does what the documentation says, one
// line after the other.

// twinLine is a line of the text, without its line feed.
type twinLine struct {
	text  []byte
	off   int64
	match bool
}

// twinGrep returns what a search of data, which begins at offset off, prints, and how many lines are selected.
func twinGrep(p question.Lines, o options.Grep, data []byte, off int64) (out string, selected int64) {
	var b strings.Builder
	lines := twinLines(p, data, off)
	most, owed, printed := int64(-1), 0, -1
	if o.Max != nil {
		most = *o.Max
	}
	zero := bytes.IndexByte(data, 0)
	printable := func(l twinLine) bool {
		return o.Text || zero < 0 || l.off+int64(len(l.text)) <= off+int64(zero)
	}
	emit := func(i int, sep string) {
		if o.Before+o.After > 0 && printed >= 0 && printed != i-1 {
			b.WriteString("--\n")
		}
		printed = i
		twinPrint(&b, p, o, lines[i], i, sep)
	}
	for i, l := range lines {
		if most >= 0 && selected == most && owed == 0 {
			break
		}
		isSelected := l.match != o.Invert && (most < 0 || selected < most)
		switch {
		case isSelected && o.Mode != options.GrepPrint:
			selected++
		case isSelected:
			selected++
			for j := max(i-o.Before, printed+1); j < i; j++ {
				if printable(lines[j]) {
					emit(j, "-")
				}
			}
			if !printable(l) {
				fmt.Fprintf(&b, "binary file matches (a zero byte at offset %d; -a prints its lines)\n", off+int64(zero))
				return b.String(), selected
			}
			emit(i, ":")
			owed = o.After
		case owed > 0:
			if owed--; !printable(l) {
				fmt.Fprintf(&b, "binary file matches (a zero byte at offset %d; -a prints its lines)\n", off+int64(zero))
				return b.String(), selected
			}
			emit(i, "-")
		}
	}
	if o.Mode == options.GrepAny {
		selected = min(selected, 1)
	}
	return b.String(), selected
}

func twinPrint(b *strings.Builder, p question.Lines, o options.Grep, l twinLine, i int, sep string) {
	prefix := func(off int64) {
		if o.LineNumbers {
			fmt.Fprint(b, i+1, sep)
		}
		if o.Offsets {
			fmt.Fprint(b, off, sep)
		}
	}
	if !o.OnlyMatches {
		prefix(l.off)
		b.Write(l.text)
		b.WriteByte('\n')
		return
	}
	for _, m := range twinExpr(p).FindAllIndex(l.text, -1) {
		if m[0] < m[1] {
			prefix(l.off + int64(m[0]))
			b.Write(l.text[m[0]:m[1]])
			b.WriteByte('\n')
		}
	}
}

// folds reports whether the case is ignored, which smart case decides for all patterns together.
func folds(p question.Lines) bool {
	all := strings.Join(p.Patterns, "\n")
	return p.IgnoreCase || p.SmartCase && all == strings.ToLower(all)
}

// twinExpr returns the patterns as one expression.
func twinExpr(p question.Lines) *regexp.Regexp {
	var all []string
	fold := folds(p)
	for _, text := range p.Patterns {
		for _, text := range strings.Split(text, "\n") {
			flags := ""
			if fold {
				flags = "(?i)"
			}
			if p.Fixed {
				text = regexp.QuoteMeta(text)
			}
			all = append(all, "(?:"+flags+text+")")
		}
	}
	expr := strings.Join(all, "|")
	if p.Whole {
		expr = "^(?:" + expr + ")$"
	}
	return regexp.MustCompile(expr)
}

func twinLines(p question.Lines, data []byte, off int64) (lines []twinLine) {
	if len(data) == 0 {
		return nil
	}
	re := twinExpr(p)
	known := map[string]bool{} // lines repeat, and words take long
	for _, text := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		l := twinLine{text: text, off: off}
		switch match, ok := known[string(text)]; {
		case len(p.Patterns) == 0:
		case ok:
			l.match = match
		case p.Word && !p.Whole:
			l.match = twinWord(re, text)
		default:
			l.match = re.Match(text)
		}
		known[string(text)] = l.match
		lines = append(lines, l)
		off += int64(len(text)) + 1
	}
	return lines
}

// twinWord reports whether some part of a line is a match by itself, and no letter, digit or underscore is
// beside it. The expression must not look at what is beside it.
func twinWord(re *regexp.Regexp, line []byte) bool {
	whole := regexp.MustCompile(`^(?:` + re.String() + `)$`)
	before := regexp.MustCompile(`[\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}]$`)
	after := regexp.MustCompile(`^[\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}]`)
	var cuts []int // between runes
	for i := range string(line) {
		cuts = append(cuts, i)
	}
	cuts = append(cuts, len(line))
	for _, i := range cuts {
		if before.Match(line[:i]) {
			continue
		}
		for _, j := range cuts {
			if j >= i && !after.Match(line[j:]) && whole.Match(line[i:j]) {
				return true
			}
		}
	}
	return false
}

// twinCounts returns how often each pattern occurs.
func twinCounts(p question.Lines, data []byte) (counts []int64) {
	for _, text := range p.Patterns {
		one := p
		one.Patterns, one.IgnoreCase, one.SmartCase = []string{text}, folds(p), false
		re, n := twinExpr(one), int64(0)
		if len(data) > 0 {
			for _, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
				n += int64(len(re.FindAllIndex(line, -1)))
			}
		}
		counts = append(counts, n)
	}
	return slices.Clip(counts)
}
