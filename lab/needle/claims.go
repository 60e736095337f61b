package needle

import (
	"fmt"
	"math"

	"github.com/thresh-dev/thresh/lab"
)

// claims are the article's conclusions.
func claims() []lab.Claim {
	return []lab.Claim{
		claim("N1", "A bigger buffer is the biggest single win.",
			"1 MiB chunks 13,673 MB/s, a byte a call 755 MB/s: 18 times", biggerBuffer),
		claim("N2", "A warm mapping is no faster than chunked reads.",
			"mmap 13,233 MB/s, chunks 13,673 MB/s: 0.97 times", mappingNoFaster),
		claim("N3", "madvise changes nothing when the file is warm.",
			"with advice 13,248 MB/s, without 13,233 MB/s", adviceNothing),
		claim("N4", "A parallel mapping stops at page-fault contention, well under parallel pread.",
			"pread 45,441 MB/s, mmap 28,806 MB/s: 1.58 times", mappingContends),
		claim("N5", "MAP_POPULATE makes it worse.",
			"without 29,723 MB/s, with 18,318 MB/s: 1.62 times", populateWorse),
		claim("N6", "SIMD gains little on one thread, and nothing once parallel reads saturate memory.",
			"one thread 14,566 and 13,233 MB/s: 1.10 times; parallel reads 48,602 and 45,441 MB/s: 1.07 times",
			simdLittle),
		claim("N7", "archsimd equals assembly.",
			"one thread 15,629 and 14,566 MB/s: 1.07 times; parallel reads 49,251 and 48,602 MB/s: 1.01 times",
			archsimdEquals),
		claim("N8", "Scalar parallel pread keeps gaining beyond the number of processors.",
			"about 34,000 MB/s with 12 workers on 12 processors, 41,428 MB/s with 24: 1.22 times", moreWorkers),
		claim("N9", "Cold, parallel pread wins about twofold over one reader, and SIMD is invisible.",
			"parallel 4,562 MB/s, one reader 2,030 MB/s: 2.25 times; with SIMD 4,529 MB/s", coldParallel),
		claim("N10", "The end of the road is the bandwidth of memory.",
			"parallel reads end at 49,251 MB/s, memory at about 50,000 MB/s, and nothing is faster", memoryEnd),
	}
}

// steps are the changes that the article makes one at a time, apart from the bigger buffer.
var steps = []struct{ to, from, what string }{
	{"v04", "v03", "mapping"}, {"v05", "v04", "advice"}, {"v06", "v04", "mapping in parallel"},
	{"v07", "v03", "reading in parallel"}, {"v08", "v04", "SIMD"}, {"v09", "v08", "SIMD in parallel"},
}

func biggerBuffer(f *figures) (v lab.Verdict) {
	r, text, ok := f.over("v03", "v02", warm)
	if !ok {
		return v
	}
	biggest, next, nextWhat := lab.Yes, lab.Ratio{}, ""
	for _, s := range steps {
		other, _, ok := f.over(s.to, s.from, warm)
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
		f.note("the next biggest step is %s: %s", nextWhat, next)
	}
	if biggest == lab.No {
		v.Why = fmt.Sprintf("Another step, %s, gains more here: %s.", nextWhat, next)
	}
	return v
}

func mappingNoFaster(f *figures) lab.Verdict {
	f.noteLimits("mapped_one", "copy_one")
	return f.byState(func(s lab.Setting) (p verdictPart, ok bool) {
		r, text, ok := f.over("v04", "v03", s)
		if !ok {
			return p, false
		}
		p = verdictPart{holds: lab.NotMore(r), ours: text}
		p.why = f.mappingWhy(p.holds == lab.Yes, s)
		return p, true
	})
}

// mappingWhy says why mappings of a file in this state are slow or fast.
func (f *figures) mappingWhy(slow bool, s lab.Setting) string {
	switch bytes := f.faultBytes(s); {
	case bytes == 0 && slow:
		return "the page faults cost at least as much as the copy that they save (none were counted)"
	case bytes == 0:
		return "the page faults cost less than the copy that they save (none were counted)"
	case slow:
		return fmt.Sprintf("a page fault maps only %s, and the faults cost at least as much as the copy", size(bytes))
	case bytes <= largeFaultBytes:
		return fmt.Sprintf("a page fault maps only %s, and even so costs less than copying that", size(bytes))
	default:
		return fmt.Sprintf("a page fault maps %s at once because the file is in large folios, "+
			"so mapping costs far less than copying", size(bytes))
	}
}

// largeFaultBytes is the most that a fault maps of a file in single pages: the kernel maps up to 16 pages
// around the one that is touched.
const largeFaultBytes = 64 << 10

func adviceNothing(f *figures) lab.Verdict {
	return f.byState(func(s lab.Setting) (p verdictPart, ok bool) {
		r, text, ok := f.over("v05", "v04", s)
		if !ok {
			return p, false
		}
		p = verdictPart{holds: lab.Same(r), ours: text}
		with, without := f.use("v05", s), f.use("v04", s)
		switch {
		case p.holds == lab.Yes:
			p.why = "there is nothing to read, and the page faults are the same"
		case with.faults < without.faults/2:
			p.why = "with the advice the kernel takes fewer page faults"
		case r.Value < 1:
			p.why = "the advice itself costs time: the kernel looks through the page cache for the whole file"
		default:
			p.why = "with the advice the same page faults take less time"
		}
		return p, true
	})
}

func mappingContends(f *figures) lab.Verdict {
	f.noteLimits("mapped_all", "copy_all")
	return f.byState(func(s lab.Setting) (p verdictPart, ok bool) {
		r, text, ok := f.over("v07", "v06", s)
		if !ok {
			return p, false
		}
		p = verdictPart{holds: lab.Factor(r, 45_441.0/28_806), ours: text}
		f.use("v07", s)
		mapping := f.use("v06", s)
		slow := p.holds == lab.Yes || p.holds == lab.InPart
		p.why = f.mappingWhy(slow, s)
		if slow && mapping.kernel > 0 {
			p.why += fmt.Sprintf("; %.0f %% of the mapping's processor time goes to faults", 100*mapping.kernel)
		}
		return p, true
	})
}

func populateWorse(f *figures) lab.Verdict {
	f.noteLimits("populate", "mapped_all")
	return f.byState(func(s lab.Setting) (p verdictPart, ok bool) {
		r, text, ok := f.over("v09", "v10", s)
		if !ok {
			return p, false
		}
		p = verdictPart{holds: lab.Factor(r, 29_723.0/18_318), ours: text}
		with, without := f.use("v10", s), f.use("v09", s)
		p.why = "mapping all pages beforehand takes little time here"
		if p.holds == lab.Yes || p.holds == lab.InPart {
			p.why = "one thread maps all pages while the other processors wait"
		}
		if with.busy > 0 && without.busy > 0 {
			p.why += fmt.Sprintf(": %.1f processors are busy with it, %.1f without", with.busy, without.busy)
		}
		return p, true
	})
}

// bestOf returns the fastest of these variants in the warm file with any number of workers.
func (f *figures) bestOf(ids ...string) (best lab.Spread, what string) {
	best.Value = math.Inf(-1)
	for _, id := range ids {
		for _, m := range f.r.Measurements {
			if m.Variant != name+"/"+id || m.Setting.State != lab.Warm || m.Setting.Profiled {
				continue
			}
			if figure, ok := f.e.Figure(&m); ok && figure.Value > best.Value {
				best, what = figure, id
				if m.Setting.Workers > 0 {
					what = fmt.Sprintf("%s with %d workers", id, m.Setting.Workers)
				}
			}
		}
	}
	return best, what
}
