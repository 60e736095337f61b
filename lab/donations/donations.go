// Package donations holds published answers to four questions about a file of donations,
// as baselines to measure against.
//
// The article "Processing Large Files - Java, Go and 'hitting the wall'" by Marcel Lanz
// (2019, marcellanz.com/post/file-read-challenge) asks of a file of the Federal Election
// Commission, with 18,245,416 lines and 3.3 GB: how many lines there are, which names
// stand in rows 0, 432 and 43243, how many donations each month had, and which first name
// is the commonest. It answers in ten revisions. Here are the first and the last two,
// each in a file of its own, whose head says what the article says of it and what was
// kept. The methods are the article's, the code is not. What is slow in them stays slow;
// only errors are returned, and names are taken from the right rows whatever goroutine
// comes first.
//
// The product's key for the first name is `8~, *([^, ]+)`. What differs in the article:
//
//   - It trims spaces around the name before it is looked at, and prints it so.
//   - It takes the first name behind a comma and a space, so that "DOE,JANE" has none in
//     rev0, and in the product "JANE".
//   - rev0's expression allows any white space behind the comma, the product's spaces only.
//   - rev8 and rev9 do not ask whether there is a comma. Where there is none, they take
//     what begins at the second byte of the name: "ACME FUND" counts for "CME". A second
//     space behind the comma ends the first name before it began.
//
// Names of this kind are few: the commonest first name is the same, its count in rev8 and
// rev9 is that of the key `8~, ([^, ]+)`, and in rev0 the product's where no comma lacks its
// space.
package donations

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// Answer is what the four questions ask for.
type Answer struct {
	Lines      int64
	Names      [3]string        // of Rows, "" where the file is shorter
	Months     map[string]int64 // by the first six bytes of field 5, such as "201712"
	First      string           // the commonest first name
	FirstCount int64
}

// Rows are the rows whose names are asked for, from 0.
var Rows = [3]int{0, 432, 43243}

// Fields that are looked at, from 0, and into how many pieces a line is split for them.
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

// Revisions returns those that are here, in the article's order.
func Revisions() []Revision {
	return []Revision{
		{"rev0", "one loop, lists, a regular expression", Rev0},
		{"rev8", "lines in chunks by goroutines, no regular expression", Rev8},
		{"rev9", "the same without lists, dates as integers", Rev9},
	}
}

// eachLine calls line with each line of a file, as bufio.Scanner gives them: without CR
// before the line feed, and none longer than 64 KiB.
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

// split returns the pieces of a line that hold the fields, or an error where the
// article's programs would panic.
func split(text string) ([]string, error) {
	fields := strings.SplitN(text, "|", pieces)
	if len(fields) <= nameField || len(fields[imageField]) < monthDigits {
		return nil, fmt.Errorf("%.60q is no donation: it lacks a name, or the month in field 5", text)
	}
	return fields, nil
}

// keepNames keeps those of the rows asked for, where row is the first of the names.
func (a *Answer) keepNames(row int, names []string) {
	for i, asked := range Rows {
		if asked >= row && asked < row+len(names) {
			a.Names[i] = names[asked-row]
		}
	}
}
