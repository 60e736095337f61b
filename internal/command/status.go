package command

import (
	"fmt"
	"io"
)

// Exit statuses, as listed in README.md.
const (
	Answered    = 0
	Nothing     = 1 // nothing was found
	WrongUsage  = 2 // or an input could not be opened
	Unread      = 3 // part of an input could not be read
	Interrupted = 130
)

// ExitError ends the program with a status.
type ExitError struct {
	Status int
	Err    error // nil if it was already printed
}

func (e *ExitError) Error() string { return fmt.Sprint(e.Err) }

// Unwrap returns the error to print.
func (e *ExitError) Unwrap() error { return e.Err }

// Exit returns an ExitError.
func Exit(status int, err error) error { return &ExitError{status, err} }

// Hint returns an error with a hint that says what to do about it.
func Hint(err error, hint string) error { return &hinted{err, hint} }

type hinted struct {
	error
	hint string
}

func (h *hinted) Hint() string  { return h.hint }
func (h *hinted) Unwrap() error { return h.error }

// Complain prints an error, and its hint on a second line if it has one.
func Complain(w io.Writer, err error) {
	fmt.Fprintln(w, "thresh:", Flags(err.Error()))
	if h := hint(err); h != "" {
		fmt.Fprintln(w, "thresh: hint:", h)
	}
}
