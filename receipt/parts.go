package receipt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Part is a part of the time of the workers.
type Part struct {
	Wall Wall `json:"name"`
	// Share is the part's share of the time, from 0 to 1. The counters allow for anything from Low to High.
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	// Stages divide the work itself of a table, the largest first; they add up to Share.
	Stages []Stage `json:"stages,omitempty"`
}

// Stage is a stage of the work on a table, and its share of the time, from 0 to 1.
type Stage struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// levers say what would help against a wall.
var levers = map[Wall]string{
	Storage:       "with all bytes in memory",
	Input:         "with a faster writer",
	Decompression: "without compression",
	Network:       "with a faster network",
	Throttling:    "with a server that allows more requests",
	Output:        "with a faster reader of the results",
	Quota:         "with a larger CPU quota",
	Host:          "on a host that others do not use",
	OtherPrograms: "without other programs",
	Copying:       "without copying",
	PageFaults:    "without page faults; a file in large folios has few",
	Memory:        "with faster memory",
	Work:          "with a faster processor, or a simpler question",
	Order:         "without order",
	Merging:       "with fewer groups or records",
}

// Divide says where so many seconds of workers went. It names the wall. The parts should add up to 1.
func (r *Receipt) Divide(workerSeconds float64, parts []Part) {
	r.WorkerSeconds, r.Parts = 0, nil
	r.Spend(workerSeconds, parts...)
}

// Spend adds seconds of workers, and the parts that they went into, to those that the receipt has.
func (r *Receipt) Spend(seconds float64, parts ...Part) {
	if len(parts) == 0 || seconds <= 0 {
		return
	}
	all := r.WorkerSeconds + seconds
	sum := slices.Clone(r.Parts)
	scale(sum, r.WorkerSeconds/all)
	for _, p := range parts {
		p.Stages = slices.Clone(p.Stages)
		added := []Part{p}
		scale(added, seconds/all)
		if at := slices.IndexFunc(sum, func(s Part) bool { return s.Wall == p.Wall }); at >= 0 {
			sum[at].add(added[0])
		} else {
			sum = append(sum, added...)
		}
	}
	slices.SortStableFunc(sum, func(a, b Part) int { return cmp.Compare(b.Share, a.Share) })
	r.WorkerSeconds, r.Parts = all, sum
	r.name()
}

func scale(parts []Part, by float64) {
	for i := range parts {
		p := &parts[i]
		p.Share, p.Low, p.High = p.Share*by, p.Low*by, p.High*by
		p.Stages = slices.Clone(p.Stages)
		for j := range p.Stages {
			p.Stages[j].Share *= by
		}
	}
}

func (p *Part) add(more Part) {
	p.Share, p.Low, p.High = p.Share+more.Share, p.Low+more.Low, p.High+more.High
	for _, s := range more.Stages {
		if at := slices.IndexFunc(p.Stages, func(o Stage) bool { return o.Name == s.Name }); at >= 0 {
			p.Stages[at].Share += s.Share
		} else {
			p.Stages = append(p.Stages, s)
		}
	}
	slices.SortStableFunc(p.Stages, func(a, b Stage) int { return cmp.Compare(b.Share, a.Share) })
}

const (
	wallShare  = 0.60 // a part of so much is the wall
	namedShare = 0.05 // smaller parts are not named
	namedParts = 4
)

// name sets the wall, the verdict and the lever by the parts.
func (r *Receipt) name() {
	first := r.Parts[0]
	r.Wall, r.Lever = Mixed, ""
	if first.Share >= wallShare {
		r.Wall = first.Wall
	}
	var named []string
	for _, p := range r.Parts[:min(namedParts, len(r.Parts))] {
		if p.Share >= namedShare || len(named) == 0 {
			named = append(named, p.String())
		}
	}
	r.Verdict = strings.Join(named, ", ")
	if r.Wall == Mixed {
		r.Verdict = "mixed: " + r.Verdict
	}
	if what := levers[first.Wall]; what != "" {
		r.Lever = fmt.Sprintf("%s: %s", what, times(1/max(1-first.Share, 1e-9)))
	}
}

// String returns the part as "memory 41 %", with its stages in parentheses.
func (p Part) String() string {
	text := fmt.Sprintf("%s %s", p.Wall, percent(p.Share))
	var stages []string
	for _, s := range p.Stages[:min(namedParts, len(p.Stages))] {
		if s.Share >= namedShare {
			stages = append(stages, s.Name+" "+percent(s.Share))
		}
	}
	if len(stages) > 0 {
		text += " (" + strings.Join(stages, ", ") + ")"
	}
	return text
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// times says how many times as fast it could be, in a precision that such a bound has.
func times(factor float64) string {
	if factor >= 9.95 {
		return "perhaps more than 10 times as fast"
	}
	return fmt.Sprintf("at most %.1f times as fast", factor)
}
