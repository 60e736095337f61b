package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Measurement is all runs of a variant under one setting.
type Measurement struct {
	Variant  string    `json:"variant"`
	Setting  Setting   `json:"setting"`
	Bytes    int64     `json:"bytes,omitempty"` // of the input
	Outcomes []Outcome `json:"outcomes,omitempty"`
	// Want is the answer that was expected, and Wrong the first that differed: such a variant has no figure.
	Want  string `json:"want,omitempty"`
	Wrong string `json:"wrong,omitempty"`
	// Compared has the rows of a comparison, instead of outcomes.
	Compared *Compared `json:"compared,omitempty"`
	// Skipped says why there are no outcomes.
	Skipped string `json:"skipped,omitempty"`
	// Fewer says why there are fewer runs than the method asks for.
	Fewer string `json:"fewer,omitempty"`
	// FaultsPerGiB is how many faults a mapping of the input took when it was touched page by page before
	// the runs; 0 if it was not.
	FaultsPerGiB float64 `json:"faults_per_gib,omitempty"`
	// OthersShare is the share of the processors that others used during the runs, 0 to 1, and HostShare the
	// part of it that the host of this virtual machine took.
	OthersShare float64 `json:"others_share,omitempty"`
	HostShare   float64 `json:"host_share,omitempty"`
	// Profile is of a profiled run, whose Setting says so.
	Profile *Profile `json:"profile,omitempty"`
}

// Profile says where the processor time of some runs went.
type Profile struct {
	Source string `json:"source"` // "perf", with the kernel's functions, or "pprof", without
	// Note says why perf was not used, and so the kernel's functions are missing.
	Note string `json:"note,omitempty"`
	// Folded has the samples by stack: the functions from the outermost to the innermost, with
	// semicolons between them, as flame graphs take them. Those of the kernel end in KernelMark.
	Folded map[string]int64 `json:"folded,omitempty"`
	// Execution is what a Go execution trace of another run shows, where the article shows one.
	Execution *Execution `json:"execution,omitempty"`
}

// KernelMark ends the names of the kernel's functions in stacks, as is usual for flame graphs.
const KernelMark = "_[k]"

// Execution sums up a Go execution trace.
type Execution struct {
	File           string  `json:"file"` // for "go tool trace"
	Seconds        float64 `json:"seconds"`
	Goroutines     int64   `json:"goroutines"`      // started meanwhile
	GoroutinesMost int64   `json:"goroutines_most"` // at once
	Running        float64 `json:"running"`         // goroutines that ran at once, on average
	// How long goroutines that were ready to run waited for a processor, in seconds.
	WaitMedian float64 `json:"wait_median"`
	Wait99     float64 `json:"wait_99"`
	WaitMax    float64 `json:"wait_max"`
	GCs        int64   `json:"gcs"`      // garbage collections
	GCShare    float64 `json:"gc_share"` // of the goroutines' running time, 0 to 1
	Pauses     float64 `json:"pauses"`   // seconds in which the world was stopped
}

// OthersNoted is the share of the processors from which on others are named beside a measurement, and OthersMost
// the one up to which what was timed is to be believed: a program that uses all processors loses more to others
// than one that uses a single processor.
const (
	OthersNoted = 0.05
	OthersMost  = 0.2
)

// Others says what others used of the processors, "" if next to nothing.
func (m *Measurement) Others() string {
	if m.OthersShare < OthersNoted {
		return ""
	}
	text := fmt.Sprintf("others used %.0f %% of the processors", 100*m.OthersShare)
	if m.HostShare >= OthersNoted {
		text += fmt.Sprintf(", %.0f %% of them the host", 100*m.HostShare/m.OthersShare)
	}
	return text
}

// Disturbed says why the times of a measurement are not to be believed, "" if they are.
func (m *Measurement) Disturbed() string {
	if m.OthersShare <= OthersMost {
		return ""
	}
	return m.Others() + " while " + m.Variant + " ran"
}

// TooFew says that a measurement has too few runs to know how much they differ, "" if it has enough.
func (m *Measurement) TooFew() string {
	if len(m.Outcomes) >= RunsLeast {
		return ""
	}
	times := map[int]string{1: "once", 2: "twice"}[len(m.Outcomes)]
	return fmt.Sprintf("run only %s: %s, and it takes %d runs to know how much they differ", times, m.Variant, RunsLeast)
}

// Results are the measurements of a session, and the machine they were taken on.
type Results struct {
	Machine      Machine       `json:"machine"`
	Measurements []Measurement `json:"measurements"`
	// Unfinished is set where the session ended before all was measured.
	Unfinished *Unfinished `json:"unfinished,omitempty"`
	// Quick is set where inputs are small and runs few: figures of comparisons are not to quote then.
	Quick bool `json:"quick,omitempty"`
}

// Unfinished says why a session ended early, and what it has not run.
type Unfinished struct {
	Why    string   `json:"why"`
	NotRun []string `json:"not_run,omitempty"` // variants with their settings
}

// String is that in one line.
func (u *Unfinished) String() string {
	text := "the session ended early: " + u.Why + "; the same command goes on with it"
	if len(u.NotRun) > 0 {
		text += "; not run: " + strings.Join(u.NotRun, "; ")
	}
	return text
}

// Machine describes the machine and its limits, as far as they are known.
type Machine struct {
	Processor   string   `json:"processor"`
	Processors  int      `json:"processors"`
	Features    []string `json:"features"` // instruction sets
	MemoryBytes int64    `json:"memory_bytes"`
	Kernel      string   `json:"kernel"`
	FileSystem  string   `json:"file_system"`
	GoVersion   string   `json:"go_version"`
	Date        string   `json:"date"` // RFC 3339
	// Limits has the figures of "thresh limits --json" by their names there: rates in bytes a second, and
	// times in nanoseconds, with _ns after the name.
	Limits   map[string]float64 `json:"limits"`
	Programs map[string]string  `json:"programs"` // versions of other programs, by name
}

// Spread is a figure: the value that the method gives, and the lowest and highest of the runs it counts.
type Spread struct {
	Low, Value, High float64
	Runs             int
}

// Of returns the measurement of a variant under a setting, nil if there is none with a right answer.
func (r Results) Of(variant string, s Setting) *Measurement {
	for i := range r.Measurements {
		m := &r.Measurements[i]
		if m.Variant == variant && m.Setting == s && len(m.Outcomes) > 0 && m.Wrong == "" {
			return m
		}
	}
	return nil
}

// Absent says why Of returns nil for a variant under a setting.
func (r Results) Absent(variant string, s Setting) string {
	for _, m := range r.Measurements {
		switch {
		case m.Variant != variant || m.Setting != s:
		case m.Wrong != "":
			return fmt.Sprintf("%s gave a wrong answer: %s instead of %s", variant, m.Wrong, m.Want)
		case m.Skipped != "":
			return fmt.Sprintf("%s was not run: %s", variant, m.Skipped)
		}
	}
	return variant + " was not run"
}

// Figure returns the figure of a measurement by its experiment's method and metric. ok is false where
// there is none.
func (e *Experiment) Figure(m *Measurement) (s Spread, ok bool) { return e.FigureOf(m, e.Metric.Of) }

// FigureOf is Figure with another metric.
func (e *Experiment) FigureOf(m *Measurement, of func(Outcome) float64) (s Spread, ok bool) {
	if m == nil || m.Wrong != "" || len(m.Outcomes) == 0 {
		return s, false
	}
	values := make([]float64, len(m.Outcomes))
	for i, o := range m.Outcomes {
		values[i] = of(o)
	}
	return e.Method.spread(values), true
}

// spread applies the method to the figures of the runs: the mean of what is left when the lowest and
// highest are taken away. Of fewer runs than the method asks for, only as many are taken away as leave
// three, so that the range stays known.
func (m Method) spread(values []float64) Spread {
	sorted := slices.Sorted(slices.Values(values))
	trim := max(0, min(m.Trim, (len(sorted)-3)/2))
	sorted = sorted[trim : len(sorted)-trim]
	s := Spread{Low: sorted[0], High: sorted[len(sorted)-1], Runs: len(sorted)}
	for _, v := range sorted {
		s.Value += v / float64(len(sorted))
	}
	return s
}

// Deviation returns the standard deviation of a sample, 0 for fewer than two values.
func Deviation(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	mean, squares := 0.0, 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

// Situation is what a sequence of questions took when the program chose its way, and when each way was forced.
type Situation struct {
	Lie    string   `json:"lie"` // how the bytes came to the disk and into the page cache
	Bytes  int64    `json:"bytes"`
	Files  int      `json:"files"`
	Before float64  `json:"cached_before"` // part of the bytes, before each sample
	Limit  string   `json:"limit,omitempty"`
	Beside string   `json:"beside,omitempty"`
	Asks   []string `json:"questions"`
	Ways   []Way    `json:"ways"` // the first is the program's own choice

	Best  string  `json:"best_forced"`
	Ratio Summary `json:"auto_by_best"` // of totals, by round
	Least float64 `json:"least_auto_by_least_best"`
	CPU   float64 `json:"processor_auto_by_best"` // of the medians
}

// Way is a way of running the program, or another program.
type Way struct {
	Name  string    `json:"name"`
	Peer  bool      `json:"peer,omitempty"`
	Not   string    `json:"not_measured,omitempty"`
	Total Summary   `json:"seconds"`
	CPU   Summary   `json:"processor_seconds"`
	Laps  []Summary `json:"seconds_by_question,omitempty"`
	After []float64 `json:"cached_after,omitempty"` // part of the bytes, after each question

	Ratio *Summary `json:"auto_by_peer,omitempty"`
}

// AutoTarget is the time of the program's own choice over a sequence, as a part of the best forced way's, and
// PeerTarget as a part of another program's.
var (
	AutoTarget = AtMost(1.05)
	PeerTarget = AtMost(0.6)
)

// The verdicts about a choice.
const (
	Right     = "right"
	Undecided = "unclear" // the median misses the target, the fastest rounds meet it
	WrongWay  = "WRONG"
)

// Verdict judges the choice by the median of the rounds' ratios and by the ratio of the fastest rounds: a single
// disturbed round must not decide. Beside a neighbour that is no part of the situation it can't be told.
func (s *Situation) Verdict(m *Measurement) string {
	switch {
	case s.Beside == "" && m.Disturbed() != "", s.Ratio.Rounds < RunsLeast:
		return string(Unclear)
	case AutoTarget.Met(s.Ratio.Median):
		return Right
	case AutoTarget.Met(s.Least):
		return Undecided
	}
	return WrongWay
}

// BestWay is the best of the forced ways.
func (s *Situation) BestWay() Way {
	i := slices.IndexFunc(s.Ways, func(w Way) bool { return w.Name == s.Best })
	return s.Ways[i]
}
