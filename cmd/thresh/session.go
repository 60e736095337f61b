package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/thresh-dev/thresh"
)

// session holds what the runs of all verbs have in common: the inputs, the options, and what
// went wrong. Inputs are read one after the other; some cannot be opened or read.
type session struct {
	shared   *shared
	console  *console
	options  thresh.Options
	several  bool            // more than one input is possible, so results name theirs
	archives bool            // with -r, zip archives are searched like folders
	listing  *thresh.Listing // the inputs, if several
	remotes  *remotes        // opens objects on other machines
	ballast  []byte
	plan     func(*thresh.Input, thresh.Options) (thresh.Plan, error)
	tensors  *tensors // how files of tensors are asked; nil for verbs that do not know them

	total      thresh.Report
	unopened   bool // an input could not be opened
	incomplete bool // part of an input could not be read
}

// inputs returns the inputs: those that are named, or else the folder below which -r searches, or
// standard input, unless that is a terminal.
func (c *console) inputs(flags *pflag.FlagSet, args []string) ([]string, error) {
	switch {
	case len(args) > 0:
		return args, errors.Join(noEmptyName(args), receiptFormat(flags, args))
	case given(flags, "recursive"):
		return []string{"."}, nil
	case isTerminal(c.in):
		return nil, errors.New(`no input: name a file, or "-" for standard input`)
	}
	return []string{"-"}, nil
}

// requireInput returns an error if no input is named, or one with an empty name.
func requireInput(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New(`no input: name a file, or "-" for standard input`)
	}
	return noEmptyName(args)
}

func noEmptyName(args []string) error {
	if i := slices.Index(args, ""); i >= 0 {
		return fmt.Errorf("input %d of %d has an empty name: is a variable of the shell empty?", i+1, len(args))
	}
	return nil
}

// prepare lists several inputs and allocates the ballast. Each input leaves a little garbage
// behind, and the heap is so small that the garbage collector would run every few
// milliseconds. The ballast makes the heap look larger; it is never touched, so it takes no
// physical memory.
func (s *session) prepare(args []string) {
	s.console.catch()
	s.listing = s.list(args)
	s.ballast = make([]byte, ballastBytes)
}

const ballastBytes = 16 << 20

// noteSkipped reports what was skipped below folders: links, FIFOs, sockets and devices.
func (s *session) noteSkipped() {
	if s.listing == nil || s.shared.quiet {
		return
	}
	if links, specials := s.listing.Skipped(); links+specials > 0 {
		fmt.Fprintf(s.console.err,
			"thresh: note: skipped below folders: %d symbolic links, %d FIFOs, sockets and devices\n", links, specials)
	}
}

// add adds the report of an input to the total.
func (s *session) add(r thresh.Report) {
	s.total.Hits += r.Hits
	s.total.Text = r.Text // of a single input; that of many is their total
	s.total.Bytes += r.Bytes + r.Skipped
	s.total.Skipped += r.Skipped
	if s.tensors != nil && s.tensors.seen {
		s.total.Receipt.Add(r.Receipt)
	} else {
		s.total.Receipt = r.Receipt
	}
	s.incomplete = s.incomplete || len(r.Unread) > 0
}

// status returns the exit status of the run as an error, nil for success.
func (s *session) status(interrupted bool, err error) error {
	switch {
	case err != nil:
		return &exitError{exitUsage, err}
	case interrupted:
		return &exitError{exitInterrupted, errors.New("interrupted: the answer is incomplete")}
	case s.unopened:
		return &exitError{status: exitUsage}
	case s.incomplete:
		return &exitError{status: exitIncomplete}
	}
	return nil
}

// inputError handles an error of one input. With several inputs it prints the error and returns
// nil, so the others are still searched. Errors that end the run (cancellation, output) are
// returned as they are.
func (s *session) inputError(name string, err error) error {
	var archive *thresh.ArchiveError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, syscall.EPIPE), isOutput(err):
		return err
	case errors.Is(err, thresh.ErrDirectory):
		err = &hintedError{fmt.Errorf("%s is a folder", name), "-r searches the files below it"}
	case s.archives && errors.As(err, &archive) && archive.Members != "":
		err = &hintedError{err, archive.Hint() + "; -r searches all members"}
	}
	if !s.several {
		return &exitError{exitUsage, err}
	}
	s.unopened = true
	complain(s.console.err, err)
	return nil
}

// open opens an input by name; "-" is standard input.
func (s *session) open(name string) (*thresh.Input, error) {
	options := s.inputOptions()
	switch {
	case name == "-":
		s.console.catch()
		return thresh.FromFile("-", s.console.in, options...)
	case thresh.IsRemote(name):
		return s.openRemote(name)
	}
	in, err := thresh.Open(name, options...)
	if n, known := in.Bytes(); !known || n > quickBytes {
		s.console.catch()
	}
	return in, err
}

// inputOptions returns how inputs are opened.
func (s *session) inputOptions() []thresh.InputOption {
	if s.shared.noDecompress {
		return []thresh.InputOption{thresh.Raw}
	}
	return nil
}

// quickBytes is the size up to which a file is searched before a signal could arrive.
const quickBytes = 64 << 10

// hintedError is an error with a hint that says what to do about it.
type hintedError struct {
	error
	hint string
}

func (h *hintedError) Hint() string  { return h.hint }
func (h *hintedError) Unwrap() error { return h.error }
