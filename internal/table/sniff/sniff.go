// Package sniff guesses how a table is written, from what it begins with and from the ending of its name. It guesses
// only where it is not given.
package sniff

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Text returns the part of a text that whole records are in. head is what a file begins with, and whole that there is
// no more.
func Text(head []byte, whole bool) []byte {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if !whole {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	return head
}

// Dialect returns how a table is written, and false if the text seems to be none. The ending is that of its name, such
// as ".csv".
func Dialect(ending string, text []byte) (d query.Dialect, ok bool) {
	if LinesOfJSON(text) {
		return query.Dialect{JSON: true}, true
	}
	delim, ok := delimiter(ending, text)
	return query.Dialect{Delim: delim, Quote: '"'}, ok
}

// Table returns how a text is written that is known to be a table, however few records it has.
func Table(ending string, text []byte) query.Dialect {
	d, ok := Dialect(ending, text)
	if ok {
		return d
	}
	most := 1
	for _, delim := range delimiters {
		fields := fieldCounts(text, delim)
		if len(fields) > 0 && fields[0] > most && slices.Min(fields) == slices.Max(fields) {
			d.Delim, most = delim, fields[0]
		}
	}
	return d
}

// Header reports whether the first record names the columns: unless every field of it looks like data.
func Header(d query.Dialect, text []byte) bool {
	if d.JSON {
		return false
	}
	d.Header = true
	first, _, err := d.ReadFirst(text, true)
	for _, name := range first.Names {
		if err == nil && name != "" && !IsData([]byte(name)) {
			return true
		}
	}
	return false
}

// IsNumber reports whether a text is a number.
func IsNumber(text []byte) bool {
	_, kind := decimal.Parse(text)
	return kind == decimal.Plain || kind == decimal.Irregular
}

// IsData reports whether a text is a number or a time, and so no name of a column.
func IsData(text []byte) bool {
	_, isTime := value.ParseTime(text)
	return isTime || IsNumber(text)
}

// LinesOfJSON reports whether the first two lines are objects, or the only one.
func LinesOfJSON(text []byte) bool {
	objects := 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if line[0] != '{' || !json.Valid(line) {
			return false
		}
		if objects++; objects == 2 {
			return true
		}
	}
	return objects == 1
}

// Ending returns the ending of a file's name in lower case, without that of a compression: ".csv" of "A.CSV.gz".
func Ending(name string) string {
	if format, packed := decompress.ByName(name); packed && format != decompress.Zip {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	return strings.ToLower(path.Ext(name))
}

// ByEnding returns what the ending of a name says about how a table is written: its delimiter, or lines of JSON. The
// zero Dialect says nothing.
func ByEnding(ending string) query.Dialect { return endings[ending] }

// delimiters are the bytes that may be between fields, the one that a text is least likely to hold by chance first.
var delimiters = []byte("\t|;,")

// endings are what the endings of names say.
var endings = map[string]query.Dialect{".csv": {Delim: ','}, ".tsv": {Delim: '\t'}, ".tab": {Delim: '\t'},
	".psv": {Delim: '|'}, ".ndjson": {JSON: true}, ".jsonl": {JSON: true}}

// recordsCompared is how many records are looked at to find the delimiter.
const recordsCompared = 100

// delimiter returns the byte between the fields of a table, and false if the text seems to be none. A text whose name
// does not say that it is a table must look like one in every record.
func delimiter(ending string, text []byte) (delim byte, ok bool) {
	byName := endings[ending].Delim
	best, fieldsMost := byte(0), 1
	for _, d := range delimiters {
		fields := fieldCounts(text, d)
		if len(fields) == 0 || fields[0] < 2 {
			continue
		}
		same := 0
		for _, n := range fields {
			if n == fields[0] {
				same++
			}
		}
		switch {
		case byName != 0 && same*10 < len(fields)*9:
		case byName == 0 && (same < len(fields) || len(fields) < 3 || d == ',' && fields[0] < 3):
		case byName == d:
			return d, true
		case fields[0] > fieldsMost:
			best, fieldsMost = d, fields[0]
		}
	}
	if best == 0 && byName != 0 {
		return byName, true // a table of one column, or a ragged one
	}
	return best, best != 0
}

// fieldCounts returns how many fields each of the first records has. A doubled quote in a quoted field ends it and
// begins it anew.
func fieldCounts(text []byte, delim byte) (counts []int) {
	fields, quoted, begins, filled := 1, false, true, false
	for i, c := range text {
		switch {
		case quoted:
			quoted = c != '"'
		case c == '"' && (begins || text[i-1] == '"'):
			quoted, filled = true, true
		case c == delim:
			fields, filled = fields+1, true
		case c == '\n':
			if filled {
				counts = append(counts, fields)
			}
			if fields, filled = 1, false; len(counts) == recordsCompared {
				return counts
			}
		default:
			filled = filled || c != '\r'
		}
		begins = c == delim || c == '\n'
	}
	if filled && !quoted {
		counts = append(counts, fields)
	}
	return counts
}
