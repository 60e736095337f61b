package kernelbench

import (
	"context"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Slower is a variant that takes longer than its plain twin for this many bytes.
type Slower struct {
	Kernel      string  `json:"kernel"`
	ISA         cpu.ISA `json:"isa"`
	Bytes       int     `json:"bytes"`
	Nanoseconds float64 `json:"ns"`       // per call
	PlainTwin   float64 `json:"plain_ns"` // the same for the twin
}

// Noise of a measurement, from clocks and neighbours: a variant counts as slower only if it loses
// more than this.
const (
	noiseShare       = 1.05
	noiseNanoseconds = 0.4
)

// lengths returns the lengths to measure: each short one, and some others.
func lengths() (all []int) {
	for n := 1; n <= 64; n++ {
		all = append(all, n)
	}
	return append(all, 100, 128, 256, 1000, 4096, 64<<10)
}

// Timing is how long a call of a variant takes for this many bytes.
type Timing struct {
	Kernel      string  `json:"kernel"`
	ISA         cpu.ISA `json:"isa"`
	Bytes       int     `json:"bytes"`
	Nanoseconds float64 `json:"ns"`
}

// Times returns how long calls of all variants take at all lengths, and for the bytes that Measure
// uses. As in Compare, each is the best of many short runs.
func Times(ctx context.Context, probes []kernel.Probe, step func(string)) (all []Timing, err error) {
	for _, p := range probes {
		step(p.Name)
		last := 0
		for _, n := range append(lengths(), cacheBytes) {
			if n = p.Fit(n); n <= last {
				continue
			}
			last = n
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			work, err := load(&p, n)
			if err != nil {
				return nil, err
			}
			for i, ns := range fastest(work, shortRounds) {
				all = append(all, Timing{p.Name, work[i].isa, n, ns})
			}
		}
	}
	return all, nil
}

// Compare returns which variants are slower than their plain twins, and at which lengths. It
// alternates the variants and takes the best of many short runs, because that is the one least
// disturbed.
func Compare(ctx context.Context, probes []kernel.Probe, step func(string)) (all []Slower, err error) {
	for _, p := range probes {
		step(p.Name)
		last := 0
		for _, n := range lengths() {
			if n = p.Fit(n); n <= last {
				continue
			}
			last = n
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			rows, err := slowerOn(&p, n, shortRounds)
			for again := 0; again < suspicions && len(rows) > 0 && err == nil; again++ {
				rows, err = slowerOn(&p, n, 4*shortRounds)
			}
			if err != nil {
				return nil, err
			}
			all = append(all, rows...)
		}
	}
	return all, nil
}

// suspicions is how often a variant must be found slower again, on other memory, before it counts
// as more than chance.
const suspicions = 2

// slowerOn returns which variants are slower on n bytes.
func slowerOn(p *kernel.Probe, n, runs int) (all []Slower, err error) {
	work, err := load(p, n)
	if err != nil {
		return nil, err
	}
	best := fastest(work, runs)
	for _, i := range slower(best) {
		all = append(all, Slower{Kernel: p.Name, ISA: work[i].isa, Bytes: n, Nanoseconds: best[i],
			PlainTwin: best[len(best)-1]})
	}
	return all, nil
}

// slower returns which runs take longer than the last one, beyond noise.
func slower(ns []float64) (which []int) {
	for i, time := range ns {
		if time > ns[len(ns)-1]*noiseShare+noiseNanoseconds {
			which = append(which, i)
		}
	}
	return which
}

// fastest returns the nanoseconds of each variant's best run.
func fastest(work []ready, runs int) []float64 {
	rounds, best := make([]int, len(work)), make([]float64, len(work))
	for i := range work {
		rounds[i] = work[i].roundsFor(shortTime)
		best[i] = work[i].time(rounds[i])
	}
	for range runs {
		for i := range work {
			best[i] = min(best[i], work[i].time(rounds[i]))
		}
	}
	return best
}
