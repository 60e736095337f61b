package options

import "time"

// GrepMode is what a search does with the selected lines.
type GrepMode uint8

// The modes.
const (
	GrepPrint    GrepMode = iota // print them
	GrepCount                    // count them
	GrepAny                      // stop at the first one found, which need not be the first in the input
	GrepPatterns                 // count how often each pattern occurs, whichever lines are selected
)

// Lines has the options of Lines, and says which lines are selected. The zero value selects those that match.
type Lines struct {
	Run
	Offset int64  // as in Scan
	Length *int64 // as in Scan
	Invert bool   // select the lines that do not match
	// Max ends the search after this many selected lines and their context; nil means never.
	Max *int64
	// Before and After are how many lines of context come with selected ones.
	Before, After int
	// Times, if not nil, limits the search to lines with these times. Offset and Length apply before it.
	Times *LogTimes
	// Text returns all lines. Without it the first selected line that lies after a zero byte, or holds one,
	// is replaced by a note that says so, and ends the search of the input.
	Text bool
}

// Grep has the options of Grep, which prints lines. In its output context has "-" in place of ":", and "--" is between
// groups of lines.
type Grep struct {
	Lines
	Mode        GrepMode
	Names       bool // print the name of the input before each line
	Null        bool // a zero byte follows the name
	LineNumbers bool // print the number of each line, from 1
	Offsets     bool // print the offset of each line or, with OnlyMatches, of each match
	OnlyMatches bool // print matches that are not empty instead of lines
	Color       bool // with the colours of grep
	JSON        bool // print the messages of ripgrep; the fields above, but Lines, do not matter
}

// LogTimes is a part of a log whose lines begin with ascending times. A line without a time belongs to the one
// before it. In a file the part is found by bisection, and nothing else is read; streams and compressed
// files are read from their start. An error says if times do not ascend, as far as they were read.
//
// Times are recognised as ISO 8601 and RFC 5424, also with slashes, RFC 3164, Apache's common log format, klog, Unix
// seconds, milli-, micro- or nanoseconds, and in JSON objects; the first one decides for the whole log. The year of
// times without one is inferred from the time of the file, and the log must span less than a year. Of two times that
// clocks show twice, the order of the lines says which one is meant.
type LogTimes struct {
	From time.Time // lines at this time or later; the zero time means from the start
	To   time.Time // lines before this time; the zero time means up to the end
	// Format describes the times: as strftime does if it contains %, otherwise as package time. The empty format
	// recognises them.
	Format string
	Zone   *time.Location // of times without a zone; nil means time.Local
	// Zones says what abbreviations of zones mean, in the log and in ParseTime, beside those that are known and before
	// them; nil is a word that is no zone. Offsets and names such as Europe/Berlin are always understood. What looks
	// like a zone and is not known is an error, and never ignored.
	Zones map[string]*time.Location
	// Show, if not nil, is the zone in which the times of returned lines are written, each in its place and format.
	// Lines without a time, and seconds since 1970, stay as they are. Patterns match what is in the input, and matches
	// are places in what is returned.
	Show *time.Location
}

// Follow has the options of Follow.
type Follow struct {
	// Last is how many of the lines that the file has are read first. LogTimes.From chooses others.
	Last int
	// Note, if not nil, gets what happens to the file in words: that nothing is at the path, that it was truncated and
	// what may be lost by that. Calls come from the goroutine that reads.
	Note func(text string)
}
