// Package donations has published programs that answer four questions about a file of donations, as
// baselines to measure against.
//
// The article "Processing Large Files - Java, Go and 'hitting the wall'" by Marcel Lanz (2019,
// marcellanz.com/post/file-read-challenge) uses a file of the Federal Election Commission with
// 18,245,416 lines and 3.3 GB. It asks how many lines there are, which names are in rows 0, 432 and
// 43243, how many donations each month had, and which first name is the most common. It answers in
// ten revisions. This package has the first and the last two, each in its own file. The comment
// there says what the article reports, and what we kept. The methods are the article's, the code
// is ours. What is slow in the originals stays slow. Only errors are returned, and names come from
// the right rows whatever the order of the goroutines.
//
// The product's key for the first name is `8~, *([^, ]+)`. The article differs:
//
//   - It trims spaces around the name before using it, and prints it trimmed.
//   - It takes the first name after a comma and a space, so "DOE,JANE" has none in rev0, and
//     "JANE" in the product.
//   - rev0's expression allows any white space after the comma, the product's only spaces.
//   - rev8 and rev9 do not check whether there is a comma. Without one, they take what begins at
//     the second byte of the name: "ACME FUND" counts as "CME". A second space after the comma
//     makes the first name empty.
//
// Such names are rare. The most common first name is the same. Its count in rev8 and rev9 is that
// of the key `8~, ([^, ]+)`; in rev0 it is the product's, if every comma is followed by a space.
package donations

import (
	"bufio"
	"fmt"
	"os"
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

// Revision is one program of the article.
type Revision struct {
	ID     string // as in the article: "rev9"
	What   string
	Answer func(path string) (Answer, error)
}

// Revisions returns the programs of this package, in the article's order.
func Revisions() []Revision {
	return []Revision{
		{"rev0", "one loop, lists, a regular expression", Rev0},
		{"rev8", "lines in chunks by goroutines, no regular expression", Rev8},
		{"rev9", "the same without lists, dates as integers", Rev9},
	}
}

// eachLine calls line with each line of a file, as bufio.Scanner does: without a CR before the line
// feed, and with an error for lines longer than 64 KiB.
func eachLine(path string, line func(text string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	scanner := bufio.NewScanner(f)
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
		return nil, fmt.Errorf("%.60q is not a donation: it has no name, or no month in field 5", text)
	}
	return fields, nil
}

// keepNames keeps the names of the rows that are asked for. row is the row of the first name.
func (a *Answer) keepNames(row int, names []string) {
	for i, asked := range Rows {
		if asked >= row && asked < row+len(names) {
			a.Names[i] = names[asked-row]
		}
	}
}
