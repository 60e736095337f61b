package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/thresh-dev/thresh"
)

// wantsReceipt reports whether to measure the run and print a receipt: if one is asked for, or by
// default if standard error is a terminal.
func (s *session) wantsReceipt() bool {
	f := s.shared
	return f.receipt != "" || isTerminal(s.console.err) && !f.quiet
}

// receipt prints the receipt of a verb on standard error: what was read, how fast, and which wall was hit.
func (s *session) receipt(verb string, interrupted bool) {
	if !s.wantsReceipt() || interrupted && s.shared.receipt == "" {
		return
	}
	r := s.total.Receipt
	if !interrupted {
		_ = r.Keep(verb) // without a cache folder the drawing of "thresh limits -o" lacks this run
	}
	if s.shared.receipt == "json" {
		b, err := json.Marshal(r)
		if err != nil {
			complain(s.console.err, fmt.Errorf("receipt: %w", err))
			return
		}
		fmt.Fprintf(s.console.err, "%s\n", b)
		return
	}
	fmt.Fprintln(s.console.err, r.Line())
}

// explain prints the plan for one input.
func (s *session) explain(in *thresh.Input) error {
	return s.printPlan(s.plan(in, s.options))
}

// printPlan prints a plan, unless there was an error.
func (s *session) printPlan(p thresh.Plan, err error) error {
	if err != nil {
		return &exitError{exitUsage, err}
	}
	_, err = fmt.Fprint(s.planTo(), p)
	return err
}

// planTo returns where to print the plan: standard output for --dry-run, whose only result it is.
func (s *session) planTo() interface{ Write([]byte) (int, error) } {
	if s.shared.dryRun {
		return s.console.out
	}
	return s.console.err
}

// explainMany prints the plan for each input.
func (s *session) explainMany(args []string) error {
	for name, err := range thresh.Files(args, s.shared.recursive) {
		if err == nil {
			err = s.explainOne(name)
		}
		if err := s.inputError(name, err); err != nil {
			return err
		}
	}
	if s.unopened {
		return &exitError{status: exitUsage}
	}
	return nil
}

// explainOne opens an input and prints the plan for it.
func (s *session) explainOne(name string) error {
	if file, err := s.tensors.open(name); file != nil || err != nil {
		if err == nil {
			err = s.tensors.explain(file)
		}
		return err
	}
	in, err := s.open(name)
	if err != nil {
		return err
	}
	return errors.Join(s.explain(in), in.Close())
}
