package needle

import (
	"fmt"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/evidence"
)

// little is what the article calls a modest gain on one thread: less than half as fast again.
const little = 1.5

func simdLittle(f *evidence.Figures) (v lab.Verdict) {
	one, oneText, ok := f.Over("v08", "v04", warm)
	all, allText, ok2 := f.Over("v11", "v07", warm)
	if !ok || !ok2 {
		return v
	}
	gains := [...]lab.Holds{lab.Yes, lab.Unclear, lab.No}[1+one.Side(little)]
	f.NoteLimits("memory_one", "memory_all", "copy_all")
	reads := f.Use("v07", warm)
	f.Use("v11", warm)
	v = lab.Verdict{Holds: lab.All(gains, lab.NotMore(all)), Ours: oneText + "; " + allText}
	v.Why = "One thread's loop over words already takes most of what the mapping delivers."
	if gains != lab.Yes {
		v.Why = "On one thread the loop over words is the wall here, so SIMD helps."
	}
	switch {
	case lab.NotMore(all) == lab.Yes:
		v.Why += fmt.Sprintf(" Of the parallel reads' processor time, %.0f %% is the kernel's copy.", 100*reads.Kernel)
	case reads.Kernel > 0:
		v.Why += fmt.Sprintf(" In the parallel reads, %.0f %% of the processor time is the loop's: "+
			"memory is not saturated.", 100*(1-reads.Kernel))
	}
	return v
}

func archsimdEquals(f *evidence.Figures) (v lab.Verdict) {
	one, oneText, ok := f.Over("v12", "v08", warm)
	all, allText, ok2 := f.Over("v13", "v11", warm)
	if !ok || !ok2 {
		return v
	}
	v = lab.Verdict{Holds: lab.All(lab.Same(one), lab.Same(all)), Ours: oneText + "; " + allText}
	v.Why = "The compiler makes the same loop of vector instructions; memory and the copy are the wall."
	if v.Holds != lab.Yes {
		v.Why = "The vectors differ in width: archsimd's have 64 bytes, the assembly's 32."
	}
	return v
}

func moreWorkers(f *evidence.Figures) (v lab.Verdict) {
	processors := f.Results.Machine.Processors
	base, ok := f.Of("v07", lab.Setting{State: lab.Warm, Workers: processors})
	if !ok {
		if base, ok = f.Of("v07", warm); !ok {
			return v
		}
	}
	best, ok := f.Best(func(s lab.Setting) bool { return anyWarm(s) && s.Workers > processors }, "v07")
	if !ok || processors == 0 {
		v.Why = "there is no figure for more workers than processors; --scale asks for them"
		return v
	}
	r := lab.Over(best.Spread, base)
	v = lab.Verdict{Holds: lab.Factor(r, 41_428.0/34_000), Ours: fmt.Sprintf(
		"%d workers on %d processors %s, at best %s with %d workers, %s",
		processors, processors, f.Text(base.Value), f.Text(best.Value), best.Setting.Workers, r)}
	u := f.Use("v07", warm)
	v.Why = "The processors are busy with as many workers as there are processors: more have nothing to add."
	if v.Holds == lab.Yes || v.Holds == lab.InPart {
		v.Why = "One worker's search overlaps with another's copy, and parts that end early leave no processor idle."
	} else if u.Busy > 0 && u.Busy < 0.8*float64(processors) {
		v.Why = fmt.Sprintf("Only %.1f of %d processors are busy, and more workers do not change that.", u.Busy, processors)
	}
	return v
}

func coldParallel(f *evidence.Figures) (v lab.Verdict) {
	r, text, ok := f.Over("v07", "v03", cold)
	if !ok {
		return v
	}
	v = lab.Verdict{Holds: lab.Factor(r, 4_562.0/2_030), Ours: text}
	if simd, simdText, ok := f.Over("v11", "v07", cold); ok {
		v.Holds, v.Ours = lab.All(v.Holds, lab.Same(simd)), v.Ours+"; "+simdText
	}
	f.NoteLimits("cold_read", "direct_read")
	one, _ := f.Of("v03", cold)
	v.Why = "Several reads in flight keep the storage busy; one reader waits for each."
	if device, ok := f.Limit("direct_read"); ok && one.Value > 0.8*device {
		v.Why = fmt.Sprintf("One reader with the kernel's read-ahead reaches %s of the storage's %s: "+
			"little is left to win.", f.Text(one.Value), f.Text(device))
	} else if lab.Factor(r, 4_562.0/2_030) == lab.No {
		v.Why = "The kernel's read-ahead keeps the storage as busy for one reader as for several."
	}
	return v
}

// aboveLimit says why a rate beyond a limit of the machine tells nothing.
const aboveLimit = "The rate is above the limit that thresh limits measured: the machine was not the same then."

func memoryEnd(f *evidence.Figures) (v lab.Verdict) {
	reads, ok := f.Best(anyWarm, "v07", "v11", "v13")
	if !ok {
		return v
	}
	mapped, isMapped := f.Best(anyWarm, "v04", "v06", "v08", "v09", "v10", "v12")
	v.Ours = f.Name(reads)
	var parts []lab.Holds
	if memory, ok := f.Limit("memory_all"); ok {
		r := lab.Over(reads.Spread, lab.Spread{Low: memory, Value: memory, High: memory})
		parts = append(parts, [...]lab.Holds{lab.No, lab.Unclear, lab.Yes}[1+r.Side(1/lab.Equal)])
		if r.Side(lab.Equal) > 0 {
			v.Holds, v.Why = lab.Unclear, aboveLimit
		}
		v.Ours += fmt.Sprintf(", memory %s", f.Text(memory))
	}
	f.NoteLimits("memory_all", "copy_all", "mapped_all")
	u := f.Use("v11", warm)
	if u.Busy == 0 {
		u = f.Use("v07", warm)
	}
	if v.Holds == lab.Unclear {
		return v
	}
	v.Why = "Parallel reads end where memory ends."
	if len(parts) > 0 && parts[0] == lab.No {
		v.Why = fmt.Sprintf("Parallel reads end before memory does, at the copy out of the page cache: %.0f %% "+
			"of the processor time is the kernel's.", 100*u.Kernel)
	}
	if isMapped {
		r := lab.Over(mapped.Spread, reads.Spread)
		parts = append(parts, lab.NotMore(r))
		v.Ours += fmt.Sprintf("; %s, %s", f.Name(mapped), r)
		if lab.NotMore(r) == lab.No {
			v.Why += " Without that copy, mappings are faster."
		}
	}
	if len(parts) == 0 {
		v.Why = "the limits of this machine are not known; thresh limits measures them"
		return v
	}
	v.Holds = lab.All(parts...)
	return v
}
