package needle

import (
	"fmt"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/evidence"
)

var (
	warm = lab.Setting{State: lab.Warm}
	cold = lab.Setting{State: lab.Cold}
)

// claims are the article's conclusions.
func claims() []lab.Claim {
	return []lab.Claim{
		evidence.Claim("N1", "A bigger buffer is the biggest single win.",
			"1 MiB chunks 13,673 MB/s, a byte a call 755 MB/s: 18 times", biggerBuffer),
		evidence.Claim("N2", "A warm mapping is no faster than chunked reads.",
			"mmap 13,233 MB/s, chunks 13,673 MB/s: 0.97 times", mappingNoFaster),
		evidence.Claim("N3", "madvise changes nothing when the file is warm.",
			"with advice 13,248 MB/s, without 13,233 MB/s", adviceNothing),
		evidence.Claim("N4", "A parallel mapping stops at page-fault contention, well under parallel pread.",
			"pread 45,441 MB/s, mmap 28,806 MB/s: 1.58 times", mappingContends),
		evidence.Claim("N5", "MAP_POPULATE makes it worse.",
			"without 29,723 MB/s, with 18,318 MB/s: 1.62 times", populateWorse),
		evidence.Claim("N6", "SIMD gains little on one thread, and nothing once parallel reads saturate memory.",
			"one thread 14,566 and 13,233 MB/s: 1.10 times; parallel reads 48,602 and 45,441 MB/s: 1.07 times",
			simdLittle),
		evidence.Claim("N7", "archsimd equals assembly.",
			"one thread 15,629 and 14,566 MB/s: 1.07 times; parallel reads 49,251 and 48,602 MB/s: 1.01 times",
			archsimdEquals),
		evidence.Claim("N8", "Scalar parallel pread keeps gaining beyond the number of processors.",
			"about 34,000 MB/s with 12 workers on 12 processors, 41,428 MB/s with 24: 1.22 times", moreWorkers),
		evidence.Claim("N9", "Cold, parallel pread wins about twofold over one reader, and SIMD is invisible.",
			"parallel 4,562 MB/s, one reader 2,030 MB/s: 2.25 times; with SIMD 4,529 MB/s", coldParallel),
		evidence.Claim("N10", "The end of the road is the bandwidth of memory.",
			"parallel reads end at 49,251 MB/s, memory at about 50,000 MB/s, and nothing is faster", memoryEnd),
	}
}

// steps are the changes that the article makes one at a time, apart from the bigger buffer.
var steps = []struct{ to, from, what string }{
	{"v04", "v03", "mapping"}, {"v05", "v04", "advice"}, {"v06", "v04", "mapping in parallel"},
	{"v07", "v03", "reading in parallel"}, {"v08", "v04", "SIMD"}, {"v09", "v08", "SIMD in parallel"},
}

func biggerBuffer(f *evidence.Figures) (v lab.Verdict) {
	r, text, ok := f.Over("v03", "v02", warm)
	if !ok {
		return v
	}
	biggest, next, nextWhat := lab.Yes, lab.Ratio{}, ""
	for _, s := range steps {
		other, _, ok := f.Over(s.to, s.from, warm)
		if !ok {
			continue
		}
		if other.Value > next.Value {
			next, nextWhat = other, s.what
		}
		switch {
		case r.High < other.Low:
			biggest = lab.No
		case r.Low < other.High && biggest == lab.Yes:
			biggest = lab.Unclear
		}
	}
	v.Holds, v.Ours = lab.All(lab.Factor(r, 13_673.0/755), biggest), text
	v.Why = "A call for each byte costs more than looking at it; chunks and words take that away."
	if nextWhat != "" {
		f.Note("the next biggest step is %s: %s", nextWhat, next)
	}
	if biggest == lab.No {
		v.Why = fmt.Sprintf("Another step, %s, gains more here: %s.", nextWhat, next)
	}
	return v
}

func mappingNoFaster(f *evidence.Figures) lab.Verdict {
	f.NoteLimits("mapped_one", "copy_one")
	return f.ByState(func(state lab.State) (p evidence.Part, ok bool) {
		s := lab.Setting{State: state}
		r, text, ok := f.Over("v04", "v03", s)
		if !ok {
			return p, false
		}
		p = evidence.Part{Holds: lab.NotMore(r), Ours: text}
		p.Why = mappingWhy(f, p.Holds == lab.Yes, s)
		return p, true
	})
}

// mappingWhy says why mappings of a file in this state are slow or fast.
func mappingWhy(f *evidence.Figures, slow bool, s lab.Setting) string {
	switch bytes := f.FaultBytes(s, "v04"); {
	case bytes == 0 && slow:
		return "the page faults cost at least as much as the copy that they save (none were counted)"
	case bytes == 0:
		return "the page faults cost less than the copy that they save (none were counted)"
	case slow:
		return fmt.Sprintf("a page fault maps only %s, and the faults cost at least as much as the copy",
			evidence.Size(bytes))
	case bytes <= largeFaultBytes:
		return fmt.Sprintf("a page fault maps only %s, and even so costs less than copying that", evidence.Size(bytes))
	default:
		return fmt.Sprintf("a page fault maps %s at once because the file is in large folios, "+
			"so mapping costs far less than copying", evidence.Size(bytes))
	}
}

// largeFaultBytes is the most that a fault maps of a file in single pages: the kernel maps up to 16 pages
// around the one that is touched.
const largeFaultBytes = 64 << 10

func adviceNothing(f *evidence.Figures) lab.Verdict {
	return f.ByState(func(state lab.State) (p evidence.Part, ok bool) {
		s := lab.Setting{State: state}
		r, text, ok := f.Over("v05", "v04", s)
		if !ok {
			return p, false
		}
		p = evidence.Part{Holds: lab.Same(r), Ours: text}
		with, without := f.Use("v05", s), f.Use("v04", s)
		switch {
		case p.Holds == lab.Yes:
			p.Why = "there is nothing to read, and the page faults are the same"
		case with.Faults < without.Faults/2:
			p.Why = "with the advice the kernel takes fewer page faults"
		case r.Value < 1:
			p.Why = "the advice itself costs time: the kernel looks through the page cache for the whole file"
		default:
			p.Why = "with the advice the same page faults take less time"
		}
		return p, true
	})
}

func mappingContends(f *evidence.Figures) lab.Verdict {
	f.NoteLimits("mapped_all", "copy_all")
	return f.ByState(func(state lab.State) (p evidence.Part, ok bool) {
		s := lab.Setting{State: state}
		r, text, ok := f.Over("v07", "v06", s)
		if !ok {
			return p, false
		}
		p = evidence.Part{Holds: lab.Factor(r, 45_441.0/28_806), Ours: text}
		f.Use("v07", s)
		mapping := f.Use("v06", s)
		slow := p.Holds == lab.Yes || p.Holds == lab.InPart
		p.Why = mappingWhy(f, slow, s)
		if slow && mapping.Kernel > 0 {
			p.Why += fmt.Sprintf("; %.0f %% of the mapping's processor time goes to faults", 100*mapping.Kernel)
		}
		return p, true
	})
}

func populateWorse(f *evidence.Figures) lab.Verdict {
	f.NoteLimits("populate", "mapped_all")
	return f.ByState(func(state lab.State) (p evidence.Part, ok bool) {
		s := lab.Setting{State: state}
		r, text, ok := f.Over("v09", "v10", s)
		if !ok {
			return p, false
		}
		p = evidence.Part{Holds: lab.Factor(r, 29_723.0/18_318), Ours: text}
		with, without := f.Use("v10", s), f.Use("v09", s)
		p.Why = "mapping all pages beforehand takes little time here"
		if p.Holds == lab.Yes || p.Holds == lab.InPart {
			p.Why = "one thread maps all pages while the other processors wait"
		}
		if with.Busy > 0 && without.Busy > 0 {
			p.Why += fmt.Sprintf(": %.1f processors are busy with it, %.1f without", with.Busy, without.Busy)
		}
		return p, true
	})
}

// anyWarm are all settings of the warm file: any number of workers.
func anyWarm(s lab.Setting) bool { return s.State == lab.Warm }

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
