package lab

import "slices"

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
