package table

import (
	"cmp"
	"slices"
	"time"

	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/receipt"
)

// stage is a stage in the processing of a chunk.
type stage int

const (
	stageCopy    stage = iota // copying the chunk: page faults, memory
	stageFields               // delimiters, line feeds, quotes
	stageFilter               // the where expression
	stageJoin                 // rows of tables in memory
	stageNumbers              // text to numbers
	stageKeys                 // slices and regular expressions
	stageHash                 // groups of keys
	stageAdd                  // sums and the like
	stageFormat               // records that are printed
	stageSort
	stages
)

func (s stage) String() string {
	return [...]string{StageReading, "finding fields", "filtering", "joining", "numbers", "keys", "hashing",
		"adding up", "formatting", "sorting"}[s]
}

// StageReading is the name of the stage that copies bytes out of a mapping.
const StageReading = "reading"

// clock measures how a worker's time is divided among the stages. It samples some of the chunks.
type clock struct {
	chunks int
	on     bool
	last   time.Time
	spent  [stages]time.Duration
}

// clockEvery: one in clockEvery chunks is measured.
const clockEvery = 16

func (c *clock) begin() {
	c.chunks++
	if c.on = c.chunks%clockEvery == 1; c.on {
		c.last = time.Now()
	}
}

func (c *clock) lap(s stage) {
	if !c.on {
		return
	}
	now := time.Now()
	c.spent[s] += now.Sub(c.last)
	c.last = now
}

func (r *Run) anyRegex() bool {
	return slices.ContainsFunc(r.query.Groups, func(a *query.GroupPlan) bool {
		return slices.ContainsFunc(a.Keys, (*key.Key).IsRegex)
	})
}

// Stages returns how the workers' time was divided among the stages, the largest share first.
func (r *Run) Stages() (all []receipt.Stage) {
	var spent [stages]time.Duration
	var total time.Duration
	for _, w := range r.all {
		for s, d := range w.clock.spent {
			spent[s] += d
			total += d
		}
	}
	for s, d := range spent {
		if d > 0 {
			name := stage(s).String()
			if stage(s) == stageKeys && r.anyRegex() {
				name = "regex"
			}
			all = append(all, receipt.Stage{Name: name, Share: float64(d) / float64(total)})
		}
	}
	slices.SortStableFunc(all, func(a, b receipt.Stage) int { return cmp.Compare(b.Share, a.Share) })
	return all
}
