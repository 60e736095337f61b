package thresh

import (
	"errors"
	"fmt"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/json/minify"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/internal/table"
)

var (
	// ErrClosed is returned for an Input that is closed, nil, or the zero value.
	ErrClosed = errors.New("the input is closed")
	// ErrNoQuery is returned for a Query that is nil or the zero value.
	ErrNoQuery = errors.New("the query is empty; make one by Text, Regexp, Values or another constructor")
	// ErrDirectory is returned by Open for a folder.
	ErrDirectory = source.ErrDirectory
	// ErrOnlyCounted is returned by Find for a query whose answer is a number: Lines, Rows, Statistics
	// and Histogram.
	ErrOnlyCounted = run.ErrOnlyCounted
	// ErrSameFile is returned by Minify if the output is the input.
	ErrSameFile = run.ErrSameFile

	// ErrTruncated is why a compressed file that ends too early cannot be read to its end.
	ErrTruncated = decompress.ErrTruncated
	// ErrEnded is why a range cannot be read that a file had when it was opened: it has shrunk.
	ErrEnded = engine.ErrEnded
	// ErrShrank is why a mapped file cannot be read any more: it shrank, or its storage failed.
	ErrShrank = source.ErrShrank
)

// UnreadError is a range of an input that could not be read. Err says why, and can be examined by
// errors.Is: the error of the system, or ErrTruncated, ErrEnded or ErrShrank.
type UnreadError struct {
	Name string // of the input
	Off  int64
	Len  int64 // 0 if it is not known: a stream broke off
	Err  error
}

func (e *UnreadError) Error() string { return (*engine.UnreadError)(e).Error() }

// Unwrap returns the reason.
func (e *UnreadError) Unwrap() error { return e.Err }

func unread(internal []engine.UnreadError) (all []UnreadError) {
	for _, u := range internal {
		u.Err = public(u.Err)
		all = append(all, UnreadError(u))
	}
	return all
}

// OptionError is a value of an option, or an argument of a constructor, that cannot be used.
type OptionError struct {
	Field  string // the name of the option or argument
	Value  any    // that was passed
	Reason string
}

func (e *OptionError) Error() string { return (*run.OptionError)(e).Error() }

// RangeError is a range that does not lie within the input.
type RangeError struct {
	Name     string // of the input
	Off, Len int64  // Len is negative if the range begins behind the end
	Bytes    int64  // size of the input
}

func (e *RangeError) Error() string { return (*run.RangeError)(e).Error() }

// QueryError is a query that cannot be compiled.
type QueryError struct {
	Text string // what was given, or the expression of several that is wrong; empty if unknown
	Off  int    // of the error in Text in bytes, -1 if it is not known
	Err  error
}

func (e *QueryError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *QueryError) Unwrap() error { return e.Err }

// SpecError is a TableSpec that cannot be used, by itself or with the columns of the input.
type SpecError struct{ Err error }

func (e *SpecError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *SpecError) Unwrap() error { return e.Err }

// EngineError is an engine that was asked for and cannot read the input on this machine.
type EngineError struct {
	Engine string
	Name   string // of the input
	Reason string // for people, with what can be done
	Err    error  // of the system, or nil
}

func (e *EngineError) Error() string { return (*engine.RefusedError)(e).Error() }

// Unwrap returns the error of the system.
func (e *EngineError) Unwrap() error { return e.Err }

// MemoryError is a memory bound that is too small.
type MemoryError struct {
	Need, Bound int64 // in bytes
	Engine      string
	Workers     int
}

func (e *MemoryError) Error() string { return (*plan.MemoryError)(e).Error() }

// FormatError is an input that cannot be decompressed: its format is not supported, or it is not
// compressed although its name says so.
type FormatError struct {
	Name string
	Err  error
}

func (e *FormatError) Error() string { return (*run.FormatError)(e).Error() }

// Unwrap returns the reason.
func (e *FormatError) Unwrap() error { return e.Err }

// Hint says what a user of the command can do.
func (e *FormatError) Hint() string { return (*run.FormatError)(e).Hint() }

// DamageError is damaged data of a compressed file. It is the reason of an UnreadError.
type DamageError struct {
	Format string // "gzip", "zstd", ...
	Off    int64  // of about where in the compressed bytes
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

func (e *ArchiveError) Error() string { return (*run.ArchiveError)(e).Error() }

// Hint says what a user of the command can do.
func (e *ArchiveError) Hint() string { return (*run.ArchiveError)(e).Hint() }

// MemberError is a member of a zip archive that cannot be read.
type MemberError struct {
	Archive, Member string
	Err             error
}

func (e *MemberError) Error() string { return (*run.MemberError)(e).Error() }

// Unwrap returns the reason.
func (e *MemberError) Unwrap() error { return e.Err }

// NotTextError is an input of Table that is not delimited text.
type NotTextError struct {
	Name string
	Is   string // what it is, for people: "a Parquet file"
	Do   string // what a user of the command can do
}

func (e *NotTextError) Error() string { return (*run.NotTextError)(e).Error() }

// Hint says what a user of the command can do.
func (e *NotTextError) Hint() string { return e.Do }

// JSONError is a text that is not JSON.
type JSONError struct {
	Name         string // of the input
	Off          int64  // of the first wrong byte; the length of the text if it ends too early
	Line, Column int64  // of that byte, from 1; columns are bytes
	Reason       string
}

func (e *JSONError) Error() string {
	return fmt.Sprintf("%s is not JSON at offset %d (line %d, column %d): %s",
		e.Name, e.Off, e.Line, e.Column, e.Reason)
}

// WriteError is an output of Minify or Grep that cannot be written.
type WriteError struct {
	Name string // of the output; may be empty
	Off  int64  // in the output
	Err  error
}

func (e *WriteError) Error() string { return (*minify.WriteError)(e).Error() }

// Unwrap returns the error of the writer.
func (e *WriteError) Unwrap() error { return e.Err }

// Problem is a place where a table is not as it should be. As an error it is the malformed record
// that ended the pass.
type Problem struct {
	Name   string // of the input
	Line   int64  // from 1
	Off    int64  // of the record's first byte
	Reason string
}

func (e *Problem) Error() string { return (*table.Problem)(e).Error() }

// translated is an error whose tree holds internal types, with the public ones beside it. So
// errors.As finds the public types, and errors.Is everything else.
type translated struct {
	error
	public []error
}

func (t *translated) Unwrap() []error { return append(t.public[:len(t.public):len(t.public)], t.error) }

// public returns an error in which errors.As finds the types of this package.
func public(err error) error {
	if err == nil {
		return nil
	}
	t := &translated{error: err}
	for _, f := range translations() {
		p, whole := f(err)
		if whole {
			return p
		}
		if p != nil {
			t.public = append(t.public, p)
		}
	}
	if len(t.public) == 0 {
		return err
	}
	return t
}

// translations find an internal error in the tree of another and return the public one. Whole tells
// that there is nothing else in the tree.
func translations() []func(error) (p error, whole bool) {
	return []func(error) (error, bool){
		translate(func(e *engine.UnreadError) error {
			return &UnreadError{Name: e.Name, Off: e.Off, Len: e.Len, Err: public(e.Err)}
		}),
		translate(func(e *run.OptionError) error { return (*OptionError)(e) }),
		translate(func(e *run.RangeError) error { return (*RangeError)(e) }),
		translate(func(e *engine.RefusedError) error { return (*EngineError)(e) }),
		translate(func(e *plan.MemoryError) error { return (*MemoryError)(e) }),
		translate(func(e *run.FormatError) error { return (*FormatError)(e) }),
		translate(func(e *decompress.Error) error { return &DamageError{e.Format.String(), e.Off, e.Err} }),
		translate(func(e *run.ArchiveError) error { return (*ArchiveError)(e) }),
		translate(func(e *run.MemberError) error { return (*MemberError)(e) }),
		translate(func(e *run.NotTextError) error { return (*NotTextError)(e) }),
		translate(func(e *minify.SyntaxError) error {
			return &JSONError{e.Name, e.Offset, e.Line, e.Column, e.Reason}
		}),
		translate(func(e *minify.WriteError) error { return (*WriteError)(e) }),
		translate(func(e *grep.WriteError) error { return &WriteError{Name: "output", Off: e.Off, Err: e.Err} }),
		translate(func(e *table.Problem) error { return (*Problem)(e) }),
		translate(func(e *table.SpecError) error { return &SpecError{e.Err} }),
	}
}

func translate[E interface {
	error
	comparable
}](convert func(E) error) func(error) (error, bool) {
	return func(err error) (error, bool) {
		var e E
		if !errors.As(err, &e) {
			return nil, false
		}
		return convert(e), err == error(e)
	}
}
