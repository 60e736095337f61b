// Package answer declares what the library's calls return: places, numbers, and reports of what was read. It has no
// other code.
package answer

import (
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/receipt"
)

// Hit is one place where a query was found: Len bytes at Off in the input.
type Hit struct{ Off, Len int64 }

// Report says what a call of Find or Count did.
type Report struct {
	Hits     int64 // places found, or what was counted: lines, records or values
	Bytes    int64 // scanned
	Skipped  int64 // in holes of a sparse file, which need not be read
	Trailing int64 // bytes left at the end, too few for a value
	// Complete is false if something that matters for the answer was not read, or an error ended the
	// run. A run that Limit ended is complete.
	Complete  bool
	Stats     *Stats                // the answer to Statistics, otherwise nil
	Histogram *Histogram            // the answer to Histogram, otherwise nil
	Text      *TextCounts           // the answer to WordCount, CharCount and TextSize, otherwise nil
	Unread    []failure.UnreadError // ranges that matter for the answer and could not be read, ascending
	Receipt   receipt.Receipt
}

// Stats describes the values of a column. N is how many there are, NaN how many of them are NaN, Inf how
// many are infinite; the other fields ignore NaNs. Numbers are decimal text, exact for integers, and
// empty if there are no values.
type Stats struct {
	N, NaN, Inf         int64
	Min, Max, Sum, Mean string
}

// TextCounts are the sizes of a text.
type TextCounts struct{ Lines, Words, Chars int64 }

// Histogram counts values by bins, which ascend, from the first that is not empty to the last; empty ones
// between them are included. Below and Above count values outside the limits, and infinities.
type Histogram struct {
	Bins         []Bin
	Below, Above uint64
	NaN          uint64
}

// Bin counts the values from Low up to, not including, High.
type Bin struct {
	Low, High string
	Count     uint64
}

// GrepReport says what a call of Grep did.
type GrepReport struct {
	Lines   int64   // selected; at most 1 of GrepAny
	Matches int64   // in the selected lines; only with JSON
	Counts  []int64 // of GrepPatterns, in the order of LineQuery.Patterns
	// Binary is the offset of the zero byte that ended the output, -1 if all selected lines were printed.
	Binary   int64
	Bytes    int64 // searched
	Written  int64 // to the output; of JSON without the last message, as ripgrep counts
	Complete bool  // all was read that matters for the answer
	// Outside is set if no line has a time that was asked for: what times the lines have.
	Outside *LogTimes
	// Zone is the zone in which times without one were read, with options.LogTimes; nil if there were none.
	Zone *time.Location
	// Untimed says that no time is recognised in the input that options.LogTimes.Show could write.
	Untimed bool
	Unread  []failure.UnreadError
	Receipt receipt.Receipt
}

// LogTimes are the first and the last time in a log. Last is zero if the log was not read that far.
type LogTimes struct{ First, Last time.Time }

// MinifyReport says what a call of Minify did.
type MinifyReport struct {
	Bytes    int64 // read
	Written  int64 // to the output; after an error, of a file that is written at several places, in all
	Complete bool  // all of the input was read and written
	Unread   []failure.UnreadError
	Receipt  receipt.Receipt
}

// Line is a line that a search returns. Text and Matches are valid until the next line.
type Line struct {
	Kind    LineKind
	Number  int64   // from 1; 0 of LineBinary
	Offset  int64   // of its first byte in the input; of LineBinary, of the zero byte
	Text    []byte  // without its line feed, its time as options.LogTimes.Show says; nil of LineBinary
	Matches []Match // none if lines that do not match were asked for
}

// LineKind says why a line is returned.
type LineKind uint8

// The kinds of lines.
const (
	LineSelected LineKind = iota // it matches, or does not if that was asked for
	LineContext                  // it is near a selected one
	LineBinary                   // no line: one that is selected holds or follows a zero byte, which ends the search
)

// Match is where a pattern matches in the text of a line.
type Match struct{ Start, End int }

// Comparison says what a call of Compare found. All offsets are those in the first input.
type Comparison struct {
	// Equal is true if every byte is the same, and both inputs end in the same place, or as Compare.Prefix allows, and
	// all of it could be read.
	Equal     bool
	First     int64 // offset of the first byte that differs; -1 if none was found
	Line      int64 // its line, from 1, if it lies in the first 64 MiB; 0 otherwise, and if it is not known
	Ranges    int64 // found
	Different int64 // bytes in them that differ
	// Longer is 1 or 2 if that input goes on where the other one ends, after Compared bytes; 0 if neither does, or if
	// that was not asked for or not found out.
	Longer   int
	Compared int64   // bytes that both inputs have in the range, or in a stream up to where reading ended
	Bytes    int64   // read of each
	Skipped  int64   // in holes that both files have, or that are the same file
	Direct   [2]bool // which of the inputs were read past the page cache
	Complete bool    // all was read that matters
	Unread   []failure.UnreadError
	Receipt  receipt.Receipt
}
