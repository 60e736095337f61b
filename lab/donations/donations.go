// Package donations has the published programs that answer four questions about a file of donations.
//
// The article "Processing Large Files - Java, Go and 'hitting the wall'" by Marcel Lanz (2019,
// marcellanz.com/post/file-read-challenge) uses a file of the Federal Election Commission with
// 18,245,416 lines and 3.3 GB. It asks how many lines there are, which names are in rows 0, 432 and
// 43243, how many donations each month had, and which first name is the most common. It answers in
// two Java programs and ten revisions of a Go program, and leaves seven exercises. Each is a file here.
// The comment there says what the article reports, and what we kept. The methods are the article's,
// the code is ours. What is slow in the originals stays slow. Three things differ: errors are returned,
// names come from the right rows whatever the order of the goroutines (in revisions 1 to 9 of the
// article they come from whatever row arrives there), and a collecting goroutine ends when its channel
// is closed (the article's spin on it while the report is made).
//
// The programs do not find the same first names; rule says how they differ. So the input's answer has a
// line for each rule, and a variant is held against its own.
package donations

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// Answer has the answers to the four questions.
type Answer struct {
	Lines      int64
	Names      [3]string        // of Rows; "" if the file is shorter
	Months     map[string]int64 // by the first six bytes of field 5, such as "201712"
	First      string           // the most common first name
	FirstCount int64
}

// Rows are the rows whose names are asked for, counted from 0.
var Rows = [3]int{0, 432, 43243}

// The fields that are used, counted from 0, and the number of pieces into which a line is split to
// get them.
const (
	imageField  = 4
	nameField   = 7
	pieces      = 9
	monthDigits = 6
)

// text returns the answer with the name of the rule for first names; of programs that only count lines, it is
// their number.
func (a Answer) text(by rule) string {
	if by == linesOnly {
		return a.linesText()
	}
	return a.linesText() + a.commonText() + a.firstText(by)
}

func (a Answer) linesText() string { return fmt.Sprintf("lines: %d\n", a.Lines) }

func (a Answer) commonText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "names: %s\nmonths:", strings.Join(a.Names[:], " | "))
	for _, month := range slices.Sorted(maps.Keys(a.Months)) {
		fmt.Fprintf(&b, " %s=%d", month, a.Months[month])
	}
	return b.String() + "\n"
}

func (a Answer) firstText(by rule) string {
	return fmt.Sprintf("first name by %s: %s %d\n", by, a.First, a.FirstCount)
}

// eachLine calls line with each line of a file, as bufio.Scanner does: without a CR before the line
// feed, and with an error for lines longer than 64 KiB.
func eachLine(path string, line func(text string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	return eachLineOf(path, f, line)
}

func eachLineOf(path string, in io.Reader, line func(text string) error) error {
	scanner := bufio.NewScanner(in)
	for scanner.Scan() {
		if err := line(scanner.Text()); err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// split returns the pieces of a line with the fields, or an error where the article's programs
// would panic.
func split(text string) ([]string, error) {
	fields := strings.SplitN(text, "|", pieces)
	if len(fields) <= nameField || len(fields[imageField]) < monthDigits {
		return nil, notADonation(text)
	}
	return fields, nil
}

func notADonation(line string) error {
	return fmt.Errorf("%.60q is not a donation: it has no name, or no month in field 5", line)
}

// keepNames keeps the names of the rows that are asked for. row is the row of the first name.
func (a *Answer) keepNames(row int, names []string) {
	for i, asked := range Rows {
		if asked >= row && asked < row+len(names) {
			a.Names[i] = names[asked-row]
		}
	}
}

// keepName keeps the name of a row that is asked for.
func (a *Answer) keepName(row int, name string) {
	for i, asked := range Rows {
		if asked == row {
			a.Names[i] = name
		}
	}
}

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
