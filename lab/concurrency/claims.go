package concurrency

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/lab"
)

// figures looks figures up for a claim, and remembers the first that there is none of.
type figures struct {
	e      *lab.Experiment
	r      lab.Results
	absent string
}

func (f *figures) of(variant string, s lab.Setting) lab.Spread {
	figure, ok := f.e.Figure(f.r.Of(variant, s))
	if !ok && f.absent == "" {
		f.absent = f.r.Absent(variant, s)
	}
	return figure
}

func untested(why string) lab.Verdict { return lab.Verdict{Holds: lab.Untested, Ours: "-", Why: why} }

const tooNoisy = "The runs differ too much."

func goroutinesClaim() lab.Claim {
	return lab.Claim{
		ID: "S2", Text: "More goroutines than work is worse than one.",
		Theirs: "100,000 integers: 128 goroutines take 5.1 times as long as one",
		Judge:  judgeGoroutines,
	}
}

// judgeGoroutines compares one goroutine with one a processor, as the post does, and with as many as
// the post had: on a small machine one a processor may not be too many.
func judgeGoroutines(e *lab.Experiment, r lab.Results) lab.Verdict {
	const published = 258.798 / 50.516
	f := figures{e: e, r: r}
	one := f.of("go/sum", lab.Setting{N: fewNumbers})
	few := f.of("go/sum-goroutines", lab.Setting{N: fewNumbers})
	many := f.of("go/sum-goroutines", lab.Setting{N: fewNumbers, Workers: publishedProcessors})
	if f.absent != "" {
		return untested(f.absent)
	}
	byFew, byMany := lab.Over(few, one), lab.Over(many, one)
	v := lab.Verdict{
		Holds: lab.All(lab.Factor(byFew, published), lab.Factor(byMany, published)),
		Ours: fmt.Sprintf("%d goroutines, one a processor, take %s as long; %d take %s",
			r.Machine.Processors, byFew, publishedProcessors, byMany),
		Evidence: []string{
			fmt.Sprintf("one goroutine takes %.1f µs, %d take %.1f µs, %d take %.1f µs",
				1e3*one.Value, r.Machine.Processors, 1e3*few.Value, publishedProcessors, 1e3*many.Value),
		},
	}
	fewLose, manyLose := byFew.Side(lab.Equal) > 0, byMany.Side(lab.Equal) > 0
	switch {
	case v.Holds == lab.Unclear:
		v.Why = tooNoisy
	case fewLose && manyLose:
		v.Why = "Starting goroutines and waiting for them takes longer than the whole sum."
	case manyLose:
		v.Why = "One goroutine a processor is not more than the work here, where processors are few; " +
			"as many as on the post's machine are."
	case fewLose:
		v.Why = "One goroutine a processor costs more than it saves; the post's number of them does not."
	default:
		v.Why = "Starting goroutines costs little beside this sum."
	}
	return v
}

func scalingClaim() lab.Claim {
	return lab.Claim{
		ID: "S3", Text: "Memory-bound sums scale badly, computing ones scale to the cores.",
		Theirs: "with 128 goroutines on 128 processors, 10 million integers 3.6 times as fast, a million sines 11 times " +
			"(with 16 too)",
		Judge: judgeScaling,
	}
}

func judgeScaling(e *lab.Experiment, r lab.Results) lab.Verdict {
	if r.Machine.Processors < 2 {
		return untested("This machine has one processor.")
	}
	f := figures{e: e, r: r}
	one, all := f.of("go/sum", lab.Setting{N: manyNumbers}), f.of("go/sum-goroutines", lab.Setting{N: manyNumbers})
	oneSine, allSine := f.of("go/sine", lab.Setting{N: sines, Workers: 1}), f.of("go/sine", lab.Setting{N: sines})
	if f.absent != "" {
		return untested(f.absent)
	}
	const sineMax = 16 // the post's sines are no faster beyond
	cores := min(r.Machine.Processors, sineMax)
	memory, computing := lab.Over(one, all), lab.Over(oneSine, allSine)
	lead := lab.Ratio{Low: computing.Low / memory.High, Value: computing.Value / memory.Value,
		High: computing.High / memory.Low}
	computes, starves := lab.Factor(computing, float64(cores)), side(lead)
	rate := func(s lab.Spread) float64 { return manyNumbers * intBytes / s.Value / 1e6 }
	v := lab.Verdict{
		Holds: lab.All(computes, starves),
		Ours: fmt.Sprintf("on %d processors the sum is faster by %s, the sines by %s",
			r.Machine.Processors, memory, computing),
		Evidence: []string{fmt.Sprintf("the sum reads %.1f GB/s with one goroutine and %.1f GB/s with one a processor",
			rate(one), rate(all))},
	}
	if limit := r.Machine.Limits["memory_all"]; limit > 0 {
		v.Evidence = append(v.Evidence, fmt.Sprintf("memory delivers %.1f GB/s to all processors", limit/1e9))
	}
	var why []string
	switch starves {
	case lab.Yes:
		why = append(why, "The sum waits for memory, which the processors share.")
	case lab.No:
		why = append(why, "The sum scales as well as the sines: memory has room for all of these processors.")
	default:
		why = append(why, "Whether the sum scales worse differs between runs.")
	}
	switch computes {
	case lab.Yes:
		why = append(why, "Sines need no memory to speak of.")
	case lab.InPart:
		why = append(why, "The sines gain less than a processor each: they may share cores, or be in use by others.")
	case lab.No:
		why = append(why, "The sines do not gain: the processors share cores, or others use them.")
	default:
		why = append(why, "What the sines gain differs between runs.")
	}
	v.Why = strings.Join(why, " ")
	return v
}

// side judges whether a ratio is clearly above one.
func side(r lab.Ratio) lab.Holds {
	switch r.Side(lab.Equal) {
	case 1:
		return lab.Yes
	case -1:
		return lab.No
	}
	return lab.Unclear
}

func raceClaim() lab.Claim {
	return lab.Claim{
		ID: "S5", Text: "Without synchronisation counts are lost, with atomics never.",
		Theirs: "the sum becomes 15,810 instead of 1,000; with atomics it stays 1,000",
		Judge:  judgeRace,
	}
}

// judgeRace looks at every answer. A wrong sum of the atomic variant makes its measurement wrong.
func judgeRace(e *lab.Experiment, r lab.Results) lab.Verdict {
	var sums, atomics []string
	wrong := ""
	for _, m := range r.Measurements {
		switch m.Variant {
		case "go/race":
			sums = append(sums, answers(m)...)
		case "go/race-atomic":
			atomics = append(atomics, answers(m)...)
			wrong += m.Wrong
		}
	}
	setting := lab.Setting{N: raceSteps}
	switch {
	case len(sums) == 0:
		return untested(r.Absent("go/race", setting))
	case len(atomics) == 0 && wrong == "":
		return untested(r.Absent("go/race-atomic", setting))
	}
	lost := 0
	for _, sum := range sums {
		if sum != fmt.Sprint(raceTotal) {
			lost++
		}
	}
	v := lab.Verdict{
		Ours: fmt.Sprintf("%d of %d runs end with another sum than %d; with atomics %d of %d keep it",
			lost, len(sums), raceTotal, len(atomics), len(atomics)),
		Evidence: []string{"sums without synchronisation: " + strings.Join(sums, ", ")},
	}
	switch {
	case wrong != "":
		v.Holds, v.Ours = lab.No, "with atomics the sum became "+wrong
		v.Why = "An atomic sum is wrong: that is a mistake of the program, or of the machine."
	case lost > 0:
		v.Holds, v.Why = lab.Yes, "two processors read the same value, and one of their two results is overwritten."
	case r.Machine.Processors < 2:
		v.Holds, v.Why = lab.No, "one processor runs both goroutines in turn, and rarely changes between reading and writing."
	default:
		v.Holds, v.Why = lab.No, "nothing was lost in these runs, which does not make such programs right."
	}
	return v
}

// answers returns the answers of a measurement's runs.
func answers(m lab.Measurement) (all []string) {
	for _, o := range m.Outcomes {
		all = append(all, o.Answer)
	}
	return all
}
