package tens

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/evidence"
)

// claims are the article's conclusions. Its programs are in C, so the figures of those in C are judged
// where there are any, otherwise those in Go.
func claims() []lab.Claim {
	return []lab.Claim{
		evidence.Claim("T1", "A mapping costs 40 % over the same data in own memory.",
			"own memory 7.90 GB/s, mapping 5.51 GB/s: 1.43 times", mappingCosts),
		evidence.Claim("T2", "Direct reads with enough depth beat the page cache's mapping.",
			"direct reads 5.81 GB/s, mapping 5.51 GB/s: 1.05 times", directBeatsMapping),
		evidence.Claim("T3", "The disk's rated bandwidth is reachable by one counting thread.",
			"5.81 of 5.77 GB/s (two disks of 3.1 GB/s, in units of 2^30)", diskReached),
		evidence.Claim("T4", "The fair baselines, helper threads for the mapping and parallel pread, do not change that.",
			"no figures: readers asked for them", fairBaselines),
	}
}

const tooNoisy = "The runs differ too much."

var ownMemory = lab.Setting{} // the whole file

func text(f *evidence.Figures, g evidence.Figure) string { return g.ID + " " + f.Text(g.Value) }

// either returns the figure of the program in C or, where there is none, of that in Go.
func either(f *evidence.Figures, id string, s lab.Setting) (g evidence.Figure, ok bool) {
	for _, name := range []string{"c-" + id, id} {
		if spread, ok := f.Of(name, s); ok {
			return evidence.Figure{Spread: spread, ID: name, Setting: s}, true
		}
	}
	return g, false
}

// direct returns the figure of direct reads with the number of workers that suits the machine best.
func direct(f *evidence.Figures) (evidence.Figure, bool) {
	fits := func(s lab.Setting) bool { return s == sixCold || s == lab.Setting{State: lab.Cold} }
	return f.Best(fits, "c-uring", "uring")
}

func mappingCosts(f *evidence.Figures) lab.Verdict {
	f.NoteLimits("memory_one", "mapped_one")
	return f.ByState(func(state lab.State) (p evidence.Part, ok bool) {
		mapped, ok := either(f, "unrolled", lab.Setting{State: state, Workers: 1})
		own, okOwn := f.Of("ram-unrolled", ownMemory)
		if !ok {
			return p, false
		}
		id := "ram-unrolled"
		if mapped.ID == "c-unrolled" { // compare what the same compiler made
			id = "c-ram-unrolled"
			own, okOwn = f.Of(id, ownMemory)
		}
		if !okOwn {
			return p, false
		}
		r := lab.Over(own, mapped.Spread)
		p.Holds = lab.Factor(r, 7.90/5.51)
		p.Ours = fmt.Sprintf("%s %s, %s, %s", id, f.Text(own.Value), text(f, mapped), r)
		bytes := f.FaultBytes(mapped.Setting, mapped.ID)
		u := f.Use(mapped.ID, mapped.Setting)
		fault := "a page fault"
		if bytes > 0 {
			fault = "a page fault for each " + evidence.Size(bytes)
		}
		switch {
		case u.Busy == 0:
			p.Why = "how much of the time the faults take was not measured"
		case p.Holds == lab.Yes || p.Holds == lab.InPart:
			p.Why = fmt.Sprintf("%s interrupts the counting; %.0f %% of the time is the kernel's", fault, 100*u.Kernel)
		default:
			p.Why = fmt.Sprintf("%s costs little beside the counting: %.0f %% of the time is the kernel's", fault, 100*u.Kernel)
		}
		return p, true
	})
}

func directBeatsMapping(f *evidence.Figures) lab.Verdict {
	f.NoteLimits("direct_read", "mapped_one")
	best, ok := direct(f)
	if !ok {
		return lab.Verdict{}
	}
	f.Use(best.ID, best.Setting)
	return f.ByState(func(state lab.State) (p evidence.Part, ok bool) {
		mapped, ok := either(f, "unrolled", lab.Setting{State: state, Workers: 1})
		if !ok {
			return p, false
		}
		r := lab.Over(best.Spread, mapped.Spread)
		p.Holds = [...]lab.Holds{lab.No, lab.Unclear, lab.Yes}[1+r.Side(1)]
		p.Ours = fmt.Sprintf("%s, %s, %s", text(f, best), text(f, mapped), r)
		f.FaultBytes(mapped.Setting, mapped.ID)
		u := f.Use(mapped.ID, mapped.Setting)
		p.Why = fmt.Sprintf("the storage delivers more than counting in the mapping takes, %.0f %% of whose processor time "+
			"is the kernel's", 100*u.Kernel)
		if p.Holds != lab.Yes {
			p.Why = "the mapping delivers as much as the storage, or more"
			if device, ok := f.Limit("direct_read"); ok {
				p.Why = fmt.Sprintf("the storage delivers at most %s, and the mapping %s", f.Text(device), f.Text(mapped.Value))
			}
		}
		return p, true
	})
}

func diskReached(f *evidence.Figures) (v lab.Verdict) {
	best, ok := direct(f)
	if !ok {
		return v
	}
	device, ok := f.Limit("direct_read")
	what := "the machine's limit of direct reads"
	fio, okFio := f.Of("needle/fio-direct", lab.Setting{State: lab.Cold})
	if okFio && fio.Value > device {
		device, what = fio.Value, "fio without counting"
	}
	if !ok && !okFio {
		v.Why = "what the storage delivers at best is not known; thresh limits measures it"
		return v
	}
	r := lab.Over(best.Spread, lab.Spread{Low: device, Value: device, High: device})
	u := f.Use(best.ID, best.Setting)
	v.Holds = [...]lab.Holds{lab.No, lab.Unclear, lab.Yes}[1+r.Side(1/lab.Equal)]
	above := r.Side(lab.Equal) > 0 // then the limit is not that of the machine as it is now
	if above {
		v.Holds = lab.Unclear
	}
	v.Ours = fmt.Sprintf("%s, %s %s, %s", text(f, best), what, f.Text(device), r)
	busy := fmt.Sprintf("%.1f of %d processors are busy, %.0f %% of that in the kernel",
		u.Busy, f.Results.Machine.Processors, 100*u.Kernel)
	v.Why = "One counting thread takes as much as the storage delivers: " + busy + "."
	switch {
	case above:
		v.Why = "The rate is above what " + what + " reached: the machine was not the same then."
	case v.Holds == lab.Unclear:
		v.Why = tooNoisy
	case v.Holds == lab.No:
		v.Why = "Reads of 16 KiB bring less than the limit, which larger ones reach: " + busy +
			". Whether their size is the reason was not measured."
	}
	return v
}

func fairBaselines(f *evidence.Figures) (v lab.Verdict) {
	f.NoteLimits("direct_read", "cold_read", "copy_all", "mapped_all")
	ring, ok := direct(f)
	if !ok {
		return v
	}
	var parts []lab.Holds
	v.Ours = text(f, ring)
	for _, s := range []lab.Setting{{State: lab.Cold}, {State: lab.Warm}} {
		best, ok := f.Best(func(of lab.Setting) bool { return of == s }, "mmap-parallel", "pread-parallel")
		if !ok {
			continue
		}
		r := lab.Over(best.Spread, ring.Spread)
		parts = append(parts, lab.NotMore(r))
		v.Ours += fmt.Sprintf("; %s: %s, %s", s.State, text(f, best), r)
		f.Use(best.ID, s)
		switch {
		case lab.NotMore(r) == lab.Unclear:
			v.Why += fmt.Sprintf("File %s: the runs differ too much. ", s.State)
		case lab.NotMore(r) == lab.Yes:
			v.Why += fmt.Sprintf("File %s: direct reads stay as fast. ", s.State)
		case s.State == lab.Cold:
			v.Why += fmt.Sprintf("File cold: through the page cache %s brings more than direct reads of 16 KiB; "+
				"why was not measured. ", best.ID)
		default:
			v.Why += fmt.Sprintf("File warm: %s takes it from memory faster than the storage delivers it. ", best.ID)
		}
	}
	v.Why = strings.TrimSpace(v.Why)
	if len(parts) > 0 {
		v.Holds = lab.All(parts...)
	}
	return v
}
