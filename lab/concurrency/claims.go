package concurrency

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/evidence"
)

const tooNoisy = "The runs differ too much."

func goroutinesClaim() lab.Claim {
	return evidence.Claim("S2", "More goroutines than work is worse than one.",
		"100,000 integers: 128 goroutines take 5.1 times as long as one", judgeGoroutines)
}

// judgeGoroutines compares one goroutine with one a processor, as the post does, and with as many as
// the post had: on a small machine one a processor may not be too many.
func judgeGoroutines(f *evidence.Figures) (v lab.Verdict) {
	const published = 258.798 / 50.516
	one, ok1 := f.Of("sum", lab.Setting{N: fewNumbers})
	few, ok2 := f.Of("sum-goroutines", lab.Setting{N: fewNumbers})
	many, ok3 := f.Of("sum-goroutines", lab.Setting{N: fewNumbers, Workers: publishedProcessors})
	if !ok1 || !ok2 || !ok3 {
		return v
	}
	processors := f.Results.Machine.Processors
	byFew, byMany := lab.Over(few, one), lab.Over(many, one)
	v = lab.Verdict{
		Holds: lab.All(lab.Factor(byFew, published), lab.Factor(byMany, published)),
		Ours: fmt.Sprintf("%d goroutines, one a processor, take %s as long; %d take %s",
			processors, byFew, publishedProcessors, byMany),
	}
	f.Note("one goroutine takes %.1f µs, %d take %.1f µs, %d take %.1f µs",
		1e3*one.Value, processors, 1e3*few.Value, publishedProcessors, 1e3*many.Value)
	fewLose, manyLose := byFew.Side(lab.Equal) > 0, byMany.Side(lab.Equal) > 0
	each := 1e3 * (many.Value - one.Value) / publishedProcessors // at least: sharing the sum saves time
	switch {
	case v.Holds == lab.Unclear:
		v.Why = tooNoisy
	case fewLose && manyLose:
		v.Why = fmt.Sprintf("The whole sum takes %.1f µs, and each of %d goroutines adds at least %.2f µs.",
			1e3*one.Value, publishedProcessors, each)
	case manyLose:
		v.Why = fmt.Sprintf("One goroutine a processor is not more than the work here, where processors are few; "+
			"each of the post's %d adds at least %.2f µs to a sum of %.1f µs.", publishedProcessors, each, 1e3*one.Value)
	case fewLose:
		v.Why = "One goroutine a processor costs more than it saves, the post's number of them does not: " +
			"why was not measured."
	default:
		v.Why = fmt.Sprintf("Goroutines cost less than they save, or little beside a sum of %.1f µs.", 1e3*one.Value)
	}
	return v
}

func scalingClaim() lab.Claim {
	return evidence.Claim("S3", "Memory-bound sums scale badly, computing ones scale to the cores.",
		"with 128 goroutines on 128 processors, 10 million integers 3.6 times as fast, a million sines 11 times "+
			"(with 16 too)", judgeScaling)
}

const oneProcessor = "this machine has one processor"

func judgeScaling(f *evidence.Figures) (v lab.Verdict) {
	processors := f.Results.Machine.Processors
	if processors < 2 {
		return lab.Verdict{Why: oneProcessor}
	}
	one, ok1 := f.Of("sum", lab.Setting{N: manyNumbers})
	all, ok2 := f.Of("sum-goroutines", lab.Setting{N: manyNumbers})
	oneSine, ok3 := f.Of("sine", lab.Setting{N: sines, Workers: 1})
	allSine, ok4 := f.Of("sine", lab.Setting{N: sines})
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return v
	}
	const sineMax = 16 // the post's sines are no faster beyond
	cores := min(processors, sineMax)
	memory, computing := lab.Over(one, all), lab.Over(oneSine, allSine)
	lead := lab.Ratio{Low: computing.Low / memory.High, Value: computing.Value / memory.Value,
		High: computing.High / memory.Low}
	computes, starves := lab.Factor(computing, float64(cores)), side(lead)
	rate := func(s lab.Spread) float64 { return manyNumbers * intBytes / s.Value / 1e6 }
	v = lab.Verdict{
		Holds: lab.All(computes, starves),
		Ours:  fmt.Sprintf("on %d processors the sum is faster by %s, the sines by %s", processors, memory, computing),
	}
	f.Note("the sum reads %.1f GB/s with one goroutine and %.1f GB/s with one a processor", rate(one), rate(all))
	limit := f.Results.Machine.Limits["memory_all"] / 1e9
	if limit > 0 {
		f.Note("memory delivers %.1f GB/s to all processors", limit)
	}
	v.Why = sumWhy(starves, rate(all), limit) + " " + sineWhy(f, computes)
	return v
}

// sumWhy says why the sum scales as it does: whether it reads nearly as much as memory delivers, in GB/s.
func sumWhy(starves lab.Holds, rate, limit float64) string {
	near := limit > 0 && rate*lab.Equal >= limit
	switch {
	case starves == lab.Unclear:
		return "Whether the sum scales worse differs between runs."
	case starves == lab.No:
		return fmt.Sprintf("The sum scales as well as the sines: it reads %.1f GB/s.", rate)
	case near:
		return fmt.Sprintf("The sum reads %.1f GB/s, and memory delivers %.1f GB/s to all processors.", rate, limit)
	case limit > 0:
		return fmt.Sprintf("The sum scales worse, although it reads only %.1f of the %.1f GB/s that memory delivers: "+
			"why was not measured.", rate, limit)
	}
	return "The sum scales worse; what memory delivers was not measured."
}

// sineWhy says why the sines scale as they do. That processors share a core cannot be seen here.
func sineWhy(f *evidence.Figures, computes lab.Holds) string {
	others := ""
	if m := f.Any("sine", lab.Setting{N: sines}); m != nil {
		others = fmt.Sprintf("other programs used %.0f %% of the processors meanwhile", 100*m.OthersShare)
		f.Note("%s", others)
	}
	switch computes {
	case lab.Yes:
		return "The sines scale with the processors, up to 16 of them."
	case lab.InPart:
		return "The sines gain less than a processor each: " + others + "; whether these share cores was not measured."
	case lab.No:
		return "The sines do not gain: " + others + "; whether these share cores was not measured."
	}
	return "What the sines gain differs between runs."
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
	return evidence.Claim("S5", "Without synchronisation counts are lost, with atomics never.",
		"the sum becomes 15,810 instead of 1,000; with atomics it stays 1,000", judgeRace)
}

// judgeRace looks at every answer. A wrong sum of the atomic variant makes its measurement wrong.
func judgeRace(f *evidence.Figures) (v lab.Verdict) {
	plain, atomic := f.Any("race", lab.Setting{N: raceSteps}), f.Any("race-atomic", lab.Setting{N: raceSteps})
	if plain == nil || atomic == nil {
		return v
	}
	sums, atomics, lost := answers(plain), answers(atomic), 0
	for _, sum := range sums {
		if sum != fmt.Sprint(raceTotal) {
			lost++
		}
	}
	v.Ours = fmt.Sprintf("%d of %d runs end with another sum than %d; with atomics %d of %d keep it",
		lost, len(sums), raceTotal, len(atomics), len(atomics))
	f.Note("sums without synchronisation: %s", strings.Join(sums, ", "))
	switch {
	case atomic.Wrong != "":
		v.Holds, v.Ours = lab.No, "with atomics the sum became "+atomic.Wrong
		v.Why = "An atomic sum is wrong: that is a mistake of the program, or of the machine."
	case lost > 0:
		v.Holds, v.Why = lab.Yes, "The sums differ from what was put in, and atomic additions in the same program keep it."
	case f.Results.Machine.Processors < 2:
		v.Holds, v.Why = lab.No, "Nothing was lost in these runs on one processor, which does not make such programs right."
	default:
		v.Holds, v.Why = lab.No, "Nothing was lost in these runs, which does not make such programs right."
	}
	return v
}

// answers returns the answers of a measurement's runs.
func answers(m *lab.Measurement) (all []string) {
	for _, o := range m.Outcomes {
		all = append(all, o.Answer)
	}
	return all
}

func openClaim() lab.Claim {
	return evidence.Claim("S4", "Two threads are the best for opening files without a pool.",
		"34, 25, 31, 36 and 42 ms with 1, 2, 4, 8 and 16 threads", judgeOpen)
}

// judgeOpen asks whether two threads are faster than one, and whether no other number is faster than
// two.
func judgeOpen(f *evidence.Figures) (v lab.Verdict) {
	if f.Results.Machine.Processors < 2 {
		return lab.Verdict{Why: oneProcessor}
	}
	two, all := f.Of("open", lab.Setting{N: files, Workers: 2})
	more, one := lab.Yes, lab.Unclear
	var times, faster []string
	for _, threads := range []int{1, 2, 4, 8, 16} {
		figure, ok := f.Of("open", lab.Setting{N: files, Workers: threads})
		all = all && ok
		times = append(times, fmt.Sprintf("%.1f", figure.Value))
		switch gain := lab.Over(two, figure); {
		case threads == 1:
			one = lab.Factor(lab.Over(figure, two), 34./25)
		case gain.Side(lab.Equal) > 0:
			more, faster = lab.No, append(faster, fmt.Sprint(threads))
		case gain.Side(lab.Equal) == 0 && more == lab.Yes:
			more = lab.Unclear
		}
	}
	if !all {
		return v
	}
	v = lab.Verdict{
		Holds: lab.All(one, more),
		Ours:  strings.Join(times, ", ") + " ms with 1, 2, 4, 8 and 16 threads",
	}
	m := f.Results.Machine
	f.Note("%d processors, kernel %s, file system %s", m.Processors, m.Kernel, m.FileSystem)
	if one == lab.No {
		v.Holds = lab.No // that four threads gain nothing either makes two no better than one
	}
	switch {
	case v.Holds == lab.Unclear:
		v.Why = tooNoisy
		return v
	case more == lab.No && one == lab.No:
		v.Why = "Two threads gain nothing over one, and " + strings.Join(faster, ", ") + " are faster"
	case more == lab.No:
		v.Why = strings.Join(faster, ", ") + " threads are faster than two"
	case one == lab.No:
		v.Why = "Two threads gain nothing over one"
	default:
		v.Why = "Two threads are faster than one, and more of them are no faster"
	}
	v.Why += ". Whether threads wait for the folder's lock, for each other or for a processor was not measured."
	return v
}
