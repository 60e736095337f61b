// Package lab is what the published experiments have in common: variants that can be run, what a run
// gave, and claims that are judged by it.
//
// An experiment is what one article measured; its package is a folder of this one, and its variants are rows.
// Package catalog lists all experiments, package measure runs variants, each run in a process of
// its own, and package report shows what came out. Each variant does what its article says, with what is
// slow in it; what is made faster is another variant with another name.
package lab

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// Experiment is what an article, or a part of one, measured.
type Experiment struct {
	Name    string // "needle": the part of its variants' IDs before the slash
	Article Article
	Method  Method
	// Metric is what the article reports of a run.
	Metric Metric
	// Bytes is the size that Input.Share is a part of, unless the user asks for another; 0 means 1 GiB.
	Bytes int64
	// Aside is true for what is run only if it is asked for by name: comparisons that take hours.
	Aside bool
	// Inputs are the files that the variants read; a variant names the one it needs.
	Inputs   []Input
	Variants []Variant // in the article's order, also those that cannot run here
	Claims   []Claim
}

// Article says where an experiment was published, and where its figures come from.
type Article struct {
	Title, Author, URL string
	Machine            string // processor, memory, storage and system, as far as the article says
}

// Method is how an article measured.
type Method struct {
	Runs int // of each variant and setting
	Trim int // slowest and fastest runs that are left out, each
	Text string
}

// Metric turns a run into the figure that the article reports.
type Metric struct {
	Unit         string // "MB/s", "s", "ns/op"
	MoreIsBetter bool
	// Counted is true for what busy neighbours do not change: processor time, calls, faults.
	Counted bool
	Of      func(Outcome) float64
}

// Better reports whether a figure is better than another.
func (m Metric) Better(a, b float64) bool {
	if m.MoreIsBetter {
		return a > b
	}
	return a < b
}

// Input is a generated file, kept in the user's cache folder.
type Input struct {
	Name string // within the experiment: "file"
	// Share is the input's size as a part of the experiment's.
	Share float64
	// Version changes when Write writes other bytes for the same size.
	Version int
	// Write writes a file of about so many bytes, seeded, and returns the answer that every variant must
	// give for it. The answer is kept beside the file.
	Write func(ctx context.Context, path string, bytes int64) (answer string, err error)
}

// Variant is one program of an article.
type Variant struct {
	ID   string // "needle/v03"
	What string // its idea in one line

	// Published are the article's figures for it, in the metric's unit.
	Published []Published

	// Peer is true for programs that the article does not have.
	Peer bool
	// Product is true for this project's own way.
	Product bool
	// Work is what the variant does, where an experiment's variants do different things: the product's own
	// way is compared with those that do the same.
	Work string

	// Input is the name of the input that it reads, "" for none.
	Input string
	// Settings are the conditions it is measured under.
	Settings []Setting
	// Share is the part of the input that it gets, for variants that would take too long; 0 means all.
	// The input is then made anew in that size.
	Share float64
	// Want returns the answer that is expected under a setting, of variants without an input. Nil or "" means
	// that it is not known beforehand: it is not checked then.
	Want func(s Setting) string

	// WantOf turns the input's answer into the one that this variant must give, where it answers only a part
	// of the question or by a rule of its own; nil if it must give the input's.
	WantOf func(answer string) string

	// Missing says what this machine or this binary lacks to run it, "" if nothing. It is asked once.
	Missing func() string

	// Run does the work once, in a process of its own, and times it. Preparations that the article does
	// not time are not timed. It returns the answer in the outcome, never compares it.
	Run func(ctx context.Context, t Task) (Outcome, error)
	// Compare measures several programs in turn, each sample a process of its own, instead of Run. An answer
	// that is wrong is an error.
	Compare func(ctx context.Context, c Comparison) (Compared, error)
}

// Published is a figure of an article.
type Published struct {
	Value   float64 `json:"value,omitempty"`
	Setting Setting `json:"setting,omitzero"`
	Text    string  `json:"text,omitempty"` // where a figure does not say it: "5 transfers"
}

// State says where the bytes of an input are before a run.
type State string

// The values of State. The last two are in memory, in folios that differ: a file that was read in order
// lies in large ones, a file that was written in pieces of 4 KiB in single pages.
const (
	Any    State = ""
	Cold   State = "cold"
	Warm   State = "warm"
	Pieces State = "warm, in single pages"
)

// Setting is the conditions of a measurement.
type Setting struct {
	State   State `json:"state,omitempty"`
	Workers int   `json:"workers,omitempty"` // 0: as many as there are processors, or the variant has none
	// Procs is the number of processors that the Go scheduler uses, 0 for all.
	Procs int `json:"procs,omitempty"`
	// N is a size that the article varies: values, goroutines, files.
	N int `json:"n,omitempty"`
	// Profiled runs are not timed: they are for the flame graphs.
	Profiled bool `json:"profiled,omitempty"`
}

// Task is what a run is given.
type Task struct {
	Variant string
	Path    string // of the input
	Bytes   int64  // of the input
	Folder  string // for files of its own; it is removed afterwards
	Kept    string // for files that all runs of the experiment share; it is removed when the session ends
	Setting Setting
}

// Workers returns how many workers a parallel program uses: one for each processor unless the setting says otherwise.
func (t Task) Workers() int {
	if t.Setting.Workers > 0 {
		return t.Setting.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Outcome is what a run gave.
type Outcome struct {
	Seconds float64 `json:"seconds"` // of the work
	Bytes   int64   `json:"bytes,omitempty"`
	Items   int64   `json:"items,omitempty"` // lines, values, hops, files
	Answer  string  `json:"answer,omitempty"`

	// The run's process during the work, by package measure where Run leaves it empty.
	UserSeconds   float64 `json:"user_seconds,omitempty"`
	SystemSeconds float64 `json:"system_seconds,omitempty"`
	MinorFaults   int64   `json:"minor_faults,omitempty"`
	MajorFaults   int64   `json:"major_faults,omitempty"`
	Calls         int64   `json:"calls,omitempty"` // read and write system calls

	Memory *Memory `json:"memory,omitempty"`
	// Extra has what only this experiment reports, by name with unit: "sendfile_calls".
	Extra map[string]float64 `json:"extra,omitempty"`
	// Wall is the limit that held the run back, where the variant knows it.
	Wall string `json:"wall,omitempty"`
}

// Memory is what a Go program's runtime says about its memory after the work.
type Memory struct {
	TotalAllocBytes uint64 `json:"total_alloc_bytes"`
	AllocBytes      uint64 `json:"alloc_bytes"`
	SysBytes        uint64 `json:"sys_bytes"`
	Collections     uint32 `json:"collections"`
}

// repeated is how long Repeat repeats short work.
const repeated = 100 * time.Millisecond

// Repeat repeats work that is too short to be timed once, until it took a tenth of a second in all. It
// returns the seconds and how often the work was done. A first time is not counted: it takes the page
// faults and fills the caches.
func Repeat(ctx context.Context, once func()) (seconds float64, times int64, err error) {
	once()
	var took time.Duration
	for batch := int64(1); took < repeated; batch *= 2 {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		begin := time.Now()
		for range batch {
			once()
		}
		took += time.Since(begin)
		times += batch
	}
	return took.Seconds(), times, nil
}

// Scale returns the numbers of workers for the scaling curve of a machine with so many processors: the
// powers of two up to four times the processors, the processors, and four times the processors. It
// ascends.
func Scale(processors int) (workers []int) {
	most := 4 * max(processors, 1)
	for n := 1; n < most; n *= 2 {
		workers = append(workers, n)
	}
	workers = append(workers, max(processors, 1), most)
	slices.Sort(workers)
	return slices.Compact(workers)
}
