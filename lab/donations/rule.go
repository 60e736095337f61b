package donations

import "strings"

// rule is what a program takes for the first name in the field "LAST, FIRST ...". In a row of 500 the
// rules differ.
//
//	                   question      expression    cut
//	"DOE, JANE A."     JANE          JANE          JANE
//	"DOE,  JANE"       JANE          JANE          none (revision 7: " JANE")
//	"DOE,JANE"         JANE          none          junk: "OE,JANE", "OE"
//	"ACME FUND"        none          none          junk: "CME"
//	"DOE, JANE,MD"     JANE          JANE          JANE (revision 8: "JANE,MD")
//
// The junk is never the most common name. So each rule has one count for the whole file.
type rule string

const (
	// byQuestion is the expression of the question as thresh, DuckDB, Polars and awk are asked it.
	byQuestion rule = "the question's expression"
	// byExpression is the article's expression, with a space after the comma.
	byExpression rule = "the article's expression"
	// byCut is what revisions 7 to 9 cut out behind the first comma and space.
	byCut rule = "cutting at spaces"
	// linesOnly is for programs that only count lines.
	linesOnly rule = ""
)

// rules are those with a line in the input's answer.
var rules = []rule{byQuestion, byExpression, byCut}

// firstName returns the first name by a rule, or "". It defines the rules; junk is none here.
func (by rule) firstName(name string) string {
	for at := 0; ; {
		comma := strings.IndexByte(name[at:], ',')
		if comma < 0 {
			return ""
		}
		at += comma + 1
		rest := name[at:]
		spaces := len(rest) - len(strings.TrimLeft(rest, " "))
		switch {
		case by != byQuestion && spaces == 0:
			continue
		case by == byCut && spaces > 1:
			return ""
		}
		rest = rest[spaces:]
		if end := strings.IndexAny(rest, ", "); end >= 0 {
			rest = rest[:end]
		}
		if rest != "" {
			return rest
		}
	}
}

// work is what a program with this rule does: some count nothing but lines.
func (by rule) work() string {
	if by == linesOnly {
		return "lines"
	}
	return "questions"
}

// want returns the part of the input's answer that a program with this rule must give.
func (by rule) want(answer string) string {
	var b strings.Builder
	for i, line := range strings.SplitAfter(answer, "\n") {
		first, isFirst := strings.CutPrefix(line, "first name by ")
		switch {
		case i == 0:
			b.WriteString(line)
		case by == linesOnly:
		case !isFirst || strings.HasPrefix(first, string(by)+":"):
			b.WriteString(line)
		}
	}
	return b.String()
}
