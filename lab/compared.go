package lab

import (
	"fmt"
	"io"
	"slices"

	"github.com/thresh-dev/thresh/internal/quantile"
)

// Comparison is what a variant is given that measures this project's program beside others.
type Comparison struct {
	Thresh string    // the program to measure
	Self   string    // this program, which does some of the work as a child of its own
	Folder string    // for files, which are kept
	Bytes  int64     // of the largest file; the others scale with it
	Rounds int       // of each comparison
	Quick  bool      // few ways are tried: figures are not to quote
	Log    io.Writer // what it does, for those who wait
}

// Compared is what a comparison gave.
type Compared struct {
	Rows      []Row      `json:"rows,omitempty"`
	Situation *Situation `json:"situation,omitempty"`
	Missing   []string   `json:"missing,omitempty"` // what could not be compared, and why
}

// Row is this project's program beside one other, or one of its own figures.
type Row struct {
	Case   string  `json:"case"`
	Peer   string  `json:"peer"`
	What   string  `json:"what"` // meaning of the number: TimesItsRate, OwnMiB
	Number Summary `json:"number"`
	Target Target  `json:"target,omitzero"`

	// Medians of both, in GB/s; 0 if the row is not about rates.
	ThreshRate float64 `json:"thresh_gb_per_second,omitempty"`
	PeerRate   float64 `json:"peer_gb_per_second,omitempty"`

	Spent
	Note string `json:"note,omitempty"`
}

// Spent is where the time of our program went, by its receipt.
type Spent struct {
	Wall  string `json:"wall,omitempty"`  // in a sentence
	Parts []Part `json:"parts,omitempty"` // the largest first
}

// Part is a part of the time, as a share from 0 to 1.
type Part struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// What the numbers of rows mean.
const (
	TimesItsRate     = "times its rate"
	TimesItsTime     = "times its time"
	TimesItsRequests = "times its requests a second"
	MillisecondsMore = "ms more a process"
	TimesItsCPU      = "times its CPU per byte"
	OwnMiB           = "MiB of own memory"
)

// timed are those that busy neighbours change.
var timed = []string{TimesItsRate, TimesItsTime, TimesItsRequests, MillisecondsMore}

// MoreIsBetter reports whether a row is better the higher its number is: rates are, times, costs and memory are not.
func (r Row) MoreIsBetter() bool { return r.What == TimesItsRate || r.What == TimesItsRequests }

// The verdicts about a row.
const (
	Info   = "info" // there is no target
	Met    = "met"
	Missed = "MISSED"
)

// Verdict says whether the target is met. What was timed beside busy neighbours, or in fewer rounds than show how
// much they differ, can't be told.
func (r Row) Verdict(m *Measurement) string {
	isTimed := slices.Contains(timed, r.What)
	switch {
	case r.Target.None():
		return Info
	case isTimed && m.Disturbed() != "", (isTimed || r.What == TimesItsCPU) && r.Number.Rounds < RunsLeast:
		return string(Unclear)
	case r.Target.Met(r.Number.Median):
		return Met
	}
	return Missed
}

// Speedup returns how many times as fast this project's program is. Times and costs are turned around.
func (r Row) Speedup() Summary {
	if r.MoreIsBetter() {
		return r.Number
	}
	return Summary{Median: 1 / r.Number.Median, Low: 1 / r.Number.High, High: 1 / r.Number.Low, Rounds: r.Number.Rounds}
}

// Summary summarizes a number over several rounds.
type Summary struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`  // of all rounds
	High   float64 `json:"high"` // of all rounds
	Rounds int     `json:"rounds"`

	Values []float64 `json:"values,omitempty"` // of each round, in order
}

// Summarize returns the summary of at least one value.
func Summarize(values []float64) Summary {
	s := quantile.SpreadOf(values)
	return Summary{Median: s.Median, Low: s.Low, High: s.High, Rounds: len(values), Values: slices.Clone(values)}
}

// Target is the target of a row. The zero value means none: the row is only for information.
type Target struct {
	AtLeast float64 `json:"at_least,omitempty"`
	AtMost  float64 `json:"at_most,omitempty"`
}

// AtLeast is the target of so much or more.
func AtLeast(v float64) Target { return Target{AtLeast: v} }

// AtMost is the target of so much or less.
func AtMost(v float64) Target { return Target{AtMost: v} }

// None reports whether there is no target.
func (t Target) None() bool { return t == Target{} }

// Met reports whether a value meets the target.
func (t Target) Met(v float64) bool {
	return (t.AtLeast == 0 || v >= t.AtLeast) && (t.AtMost == 0 || v <= t.AtMost)
}

// String returns the target as a relation.
func (t Target) String() string {
	switch {
	case t.None():
		return "-"
	case t.AtMost != 0:
		return fmt.Sprintf("<= %g", t.AtMost)
	}
	return fmt.Sprintf(">= %g", t.AtLeast)
}
