// Package failure declares the errors of the library, for errors.As and errors.Is. It has no other code.
//
// Every error that a caller may want to handle is one of these types, or wraps one of these values. Texts are for
// people and may change.
package failure

import (
	"errors"
	"fmt"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
)

var (
	// ErrNoQuery is returned for a Query that is nil or the zero value.
	ErrNoQuery = errors.New("the query is empty; make one by Text, Regexp, Values or another constructor")
	// ErrOnlyCounted is returned by Find for a query whose answer is a number: LineCount, Rows, Statistics
	// and Histogram.
	ErrOnlyCounted = errors.New("this can be counted, and not be found")
)

// OptionError is a value of an option, or an argument, that cannot be used.
type OptionError struct {
	Field  string // the name of the option or argument
	Value  any    // that was passed, of a list the element; of a user of package serve the name, never the hash
	Reason string // the whole error, with what is allowed
}

func (e *OptionError) Error() string { return e.Reason }

// QueryError is a query that cannot be compiled.
type QueryError struct {
	Text string // what was given, or the expression of several that is wrong; empty if unknown
	Off  int    // of the error in Text in bytes, -1 if it is not known
	Err  error
}

func (e *QueryError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *QueryError) Unwrap() error { return e.Err }

// SpecError is a specification of a table that cannot be used, by itself or with the columns of the input.
type SpecError struct{ Err error }

func (e *SpecError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *SpecError) Unwrap() error { return e.Err }

// MemoryError is a memory bound that is too small.
type MemoryError struct {
	Need, Bound int64  // in bytes
	Engine      string // "" if it does not matter
	Workers     int
	Why         string // that the bound is lower than the usual default, and why; "" if it was asked for
}

func (e *MemoryError) Error() string {
	needs := numeral.Count(e.Workers, "worker") + " need"
	if e.Engine != "" {
		needs = "engine " + e.Engine + " with " + needs
	}
	if e.Engine != "" || e.Workers == 1 {
		needs += "s"
	}
	needs += " at least " + bytesize.Short(e.Need)
	if e.Why != "" {
		return fmt.Sprintf("%s: %s (Run.MemoryBytes takes it, at the risk of being killed)", e.Why, needs)
	}
	return fmt.Sprintf("Run.MemoryBytes %s is too small: %s", bytesize.Short(e.Bound), needs)
}

// ValueError is a value of an answer that does not fit where it is to go.
type ValueError struct {
	Value string // as it is printed
	Null  bool   // there is none
	To    string // what was asked for: "int64", "time"
}

func (e *ValueError) Error() string {
	if e.Null {
		return "null is no " + e.To
	}
	return fmt.Sprintf("%q is no %s", e.Value, e.To)
}
