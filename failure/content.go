package failure

import "fmt"

// FormatError is an input that cannot be decompressed: its format is not supported, or it is not
// compressed although its name says so.
type FormatError struct {
	Name string
	Err  error
	Do   string // what to do about it, for people: "pass it through gzip -dc"
}

func (e *FormatError) Error() string { return fmt.Sprintf("decompress %s: %v", e.Name, e.Err) }

// Unwrap returns the reason.
func (e *FormatError) Unwrap() error { return e.Err }

// DamageError is damaged data of a compressed file. It is the reason of an UnreadError.
type DamageError struct {
	Format string // "gzip", "zstd", ...
	Off    int64  // of about where in the compressed bytes: at most a block after the fault
	Err    error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s data at byte %d of the compressed file: %v", e.Format, e.Off, e.Err)
}

// Unwrap returns the reason.
func (e *DamageError) Unwrap() error { return e.Err }

// ArchiveError is an input that is a zip archive, of which only members can be read.
type ArchiveError struct {
	Name    string
	Members string // some of their names, for people; empty for a stream
}

func (e *ArchiveError) Error() string {
	if e.Members == "" {
		return fmt.Sprintf("%s is a zip archive, and its members cannot be read from a stream", e.Name)
	}
	return fmt.Sprintf("%s is a zip archive", e.Name)
}

// MemberError is a member of a zip archive that cannot be read.
type MemberError struct {
	Archive, Member string
	Err             error
}

func (e *MemberError) Error() string {
	return fmt.Sprintf("read %s in %s: %v", e.Member, e.Archive, e.Err)
}

// Unwrap returns the reason.
func (e *MemberError) Unwrap() error { return e.Err }

// NotTextError is an input of Table that is not delimited text.
type NotTextError struct {
	Name string
	Is   string // what it is, for people: "a Parquet file"
	Do   string // what to do about it, for people: "duckdb and others make CSV of it"
}

func (e *NotTextError) Error() string {
	return fmt.Sprintf("%s is %s, no delimited text", e.Name, e.Is)
}

// JSONError is a text that is not JSON.
type JSONError struct {
	Name         string // of the input
	Off          int64  // of the first wrong byte; the length of the text if it ends too early
	Line, Column int64  // of that byte, from 1; columns are bytes
	Reason       string
}

func (e *JSONError) Error() string {
	return fmt.Sprintf("%s is not JSON at offset %d (line %d, column %d): %s", e.Name, e.Off, e.Line, e.Column, e.Reason)
}

// Problem is a place where a table is not as it should be. As an error it is the malformed record
// that ended the pass.
type Problem struct {
	Name   string // of the input
	Line   int64  // from 1
	Off    int64  // of the record's first byte
	Reason string
}

func (e *Problem) Error() string {
	return fmt.Sprintf("%s, line %d (byte %d): %s", e.Name, e.Line, e.Off, e.Reason)
}

// NotNumbersError is returned if a question needs the numbers of a column that has values, but not one number.
type NotNumbersError struct {
	Column  string
	Count   int64   // values, none of which is a number
	First   Problem // the first of them
	Instead string  // an expression that was perhaps meant; "" if none is known
}

func (e *NotNumbersError) Error() string {
	values := fmt.Sprintf("none of %d values is a number; the first", e.Count)
	if e.Count == 1 {
		values = "the only value is not a number"
	}
	instead := ""
	if e.Instead != "" {
		instead = "; did you mean " + e.Instead + "?"
	}
	return fmt.Sprintf("column %s: %s: %v%s", e.Column, values, &e.First, instead)
}
