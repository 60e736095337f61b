// Package kernelbench knows every kernel family of the product, and measures what the variants that
// can run here are worth: in the second-level cache, where memory speed does not matter, and on
// short inputs, where calls, tails and set-up do. Every answer is compared with that of the plain
// twin before a clock starts.
package kernelbench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/differ"
	"github.com/thresh-dev/thresh/internal/kernel/digits"
	"github.com/thresh-dev/thresh/internal/kernel/divide"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/kernel/gather"
	"github.com/thresh-dev/thresh/internal/kernel/histogram"
	"github.com/thresh-dev/thresh/internal/kernel/inflate"
	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/literals"
	"github.com/thresh-dev/thresh/internal/kernel/minify"
	"github.com/thresh-dev/thresh/internal/kernel/nonzero"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/kernel/regex"
	"github.com/thresh-dev/thresh/internal/kernel/rows"
	"github.com/thresh-dev/thresh/internal/kernel/stats"
	"github.com/thresh-dev/thresh/internal/kernel/utf8"
	"github.com/thresh-dev/thresh/internal/kernel/words"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/quantile"
	"github.com/thresh-dev/thresh/internal/table/group"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// Probes returns the tasks of all families, in the order in which data passes through them.
func Probes() []kernel.Probe {
	return slices.Concat(limits.Probes(), nonzero.Probes(), differ.Probes(), gather.Probes(), compare.Probes(),
		pattern.Probes(), literals.Probes(), regex.Probes(), rows.Probes(), words.Probes(), stats.Probes(),
		divide.Probes(), histogram.Probes(), fields.Probes(), digits.Probes(), key.Probes(), group.Probes(),
		minify.Probes(), jsonscan.Probes(), utf8.Probes(), inflate.Probes())
}

// UnknownError reports a name with which no kernel's name begins.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no kernel's name begins with %q (known: %s)", e.Name, strings.Join(e.Known, ", "))
}

// Named returns the probes whose names begin with name, all of them if it is empty, or an *UnknownError.
func Named(name string) ([]kernel.Probe, error) {
	if err := cpu.Err(); err != nil {
		return nil, err
	}
	var names []string
	probes := slices.DeleteFunc(Probes(), func(p kernel.Probe) bool {
		names = append(names, p.Name)
		return !strings.HasPrefix(p.Name, name)
	})
	if len(probes) == 0 {
		return nil, &UnknownError{name, names}
	}
	return probes, nil
}

// cacheBytes is the size of the work: much larger than a first-level cache, much smaller than a
// second-level one.
const cacheBytes = 256 << 10

const (
	sampleTime  = 300 * time.Microsecond // per measurement: long for the clock, short for the scheduler
	samples     = 21
	shortTime   = 15 * time.Microsecond // for one of many lengths
	shortRounds = 25
)

// Speed is the speed of a variant.
type Speed struct {
	ISA  cpu.ISA
	GBps float64 // 10^9 bytes per second, the median of some rounds
}

// Row is a task with the speeds of all variants that can run here, best first.
type Row struct {
	Kernel string
	Bytes  int // of the work
	Chosen cpu.ISA
	Speeds []Speed
}

// Measure measures all variants of one task after the other and calls step before each task. It
// fails if the answer of a variant differs from that of the plain twin, or when ctx is done.
func Measure(ctx context.Context, probes []kernel.Probe, step func(string)) (rows []Row, err error) {
	for _, p := range probes {
		step(p.Name)
		n := p.Fit(cacheBytes)
		work, err := load(&p, n)
		if err != nil {
			return nil, err
		}
		row := Row{Kernel: p.Name, Bytes: n, Chosen: work[0].isa}
		rounds := make([]int, len(work))
		taken := make([][]float64, len(work))
		for i := range work {
			rounds[i] = work[i].roundsFor(sampleTime)
		}
		for range samples {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for i := range work {
				taken[i] = append(taken[i], work[i].time(rounds[i]))
			}
		}
		for i := range work {
			row.Speeds = append(row.Speeds, Speed{work[i].isa, float64(n) / quantile.Median(taken[i])})
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// ready is a variant with its work.
type ready struct {
	isa cpu.ISA
	kernel.Work
}

// load prepares all variants that can run here for work on n bytes, and compares their answers with
// that of the plain twin, which is the last.
func load(p *kernel.Probe, n int) (all []ready, err error) {
	for _, f := range p.Variants {
		if cpu.Has(f.ISA) {
			all = append(all, ready{f.ISA, f.Func(n)})
		}
	}
	plain := all[len(all)-1]
	want := plain.Answer()
	for _, r := range all {
		if r.Answer() != want {
			return nil, fmt.Errorf("kernel %s, %v, on %d bytes: its answer differs from that of its plain twin; "+
				"this is a bug or a broken processor: THRESH_ISA=-%v disables it", p.Name, r.isa, n, r.isa)
		}
	}
	return all, nil
}

// time returns the nanoseconds per round.
func (r *ready) time(rounds int) float64 {
	began := time.Now()
	r.Run(rounds)
	return float64(time.Since(began)) / float64(rounds)
}

// roundsFor returns how many rounds take about this long. It measures three times and takes the
// most: disturbances only make rounds look longer than they are.
func (r *ready) roundsFor(want time.Duration) int {
	return max(r.roundsOnce(want), r.roundsOnce(want), r.roundsOnce(want))
}

func (r *ready) roundsOnce(want time.Duration) int {
	for rounds := 1; ; rounds *= 2 {
		began := time.Now()
		r.Run(rounds)
		if took := time.Since(began); took > want/4 {
			return max(1, int(float64(rounds)*float64(want)/float64(took)))
		}
	}
}
