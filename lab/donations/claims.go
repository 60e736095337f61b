package donations

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/evidence"
)

// claims returns the article's conclusions.
func claims() []lab.Claim {
	return []lab.Claim{
		evidence.Claim("D1", "A goroutine for each line is 30 times slower than one goroutine for all.",
			"rev1 732 s, rev0 24.98 s: 29.3 times; for the first million lines 9.8 s, 7 times", judgeGoroutines),
		evidence.Claim("D2", "Batching is worth more than the choice between channels and mutexes.",
			"a batch a message (rev2 to rev3): 1.71 times; a mutex for a channel (rev3 to rev4): 1.03 times", judgeBatching),
		evidence.Claim("D3", "A pool brings no time.",
			"rev5 8.78 s, with pools (rev6) 9.24 s; 17,216 and 16,125 MiB allocated", judgePool),
		evidence.Claim("D4", "Regular expressions cost a third of the time.",
			"rev6 9.24 s, without (rev8) 6.64 s: 1.39 times", judgeRegexps),
		evidence.Claim("D5", "Time follows what is allocated.",
			"rev0 16,100 MiB and 24.98 s, rev8 11,217 and 6.64, rev9 6,590 and 3.88; rank correlation 0.60", judgeAllocation),
		evidence.Claim("D6", "The wall is reading lines.",
			"3.57 s of 3.88 s: rev9 takes 1.09 times as long as reading lines", judgeWall),
		evidence.Claim("D7", "Revision 2 has a bug.", "exercise 4: find it", judgeBug),
	}
}

func judgeGoroutines(f *evidence.Figures) (v lab.Verdict) {
	ids := []string{"rev1", "rev0"}
	s, ok := fastest(f, ids...)
	if !ok {
		return v
	}
	many, one := s[0], s[1]
	ratio := lab.Over(many, one)
	v = lab.Verdict{Holds: lab.Factor(ratio, 732/24.976), Ours: times(ids, s) + ": " + ratio.String()}
	used := spent(f, ids...)
	allocated(f, ids...) // for the evidence
	lines := f.Any("rev1", warm(0)).Outcomes[0].Items
	switch v.Holds {
	case lab.Unclear:
		v.Why = tooNoisy
	case lab.No:
		v.Why = sentence(fmt.Sprintf("in a file of %d lines goroutines and messages cost no more than the work they "+
			"hand over", lines), used)
	default:
		v.Why = sentence(fmt.Sprintf("a goroutine and three messages for each of %d lines cost %.1f µs a line",
			lines, lineMicros(many.Value-one.Value)), used) +
			" Which part is the scheduler's and which the messages' was not measured. The article's factor grew with the file."
	}
	return v
}

func judgeBatching(f *evidence.Figures) (v lab.Verdict) {
	ids := []string{"rev2", "rev3", "rev4"}
	s, ok := fastest(f, ids...)
	if !ok {
		return v
	}
	single, batched, mutex := s[0], s[1], s[2]
	batching, swap := lab.Over(single, batched), lab.Over(batched, mutex)
	if swap.Value < 1 {
		swap = lab.Over(mutex, batched)
	}
	more := [...]lab.Holds{lab.No, lab.Unclear, lab.Yes}[1+batching.Side(swap.Value)]
	v = lab.Verdict{
		Holds: lab.All(lab.Factor(batching, 18.285/10.668), more),
		Ours:  fmt.Sprintf("%s; batching %s, mutex against channel %s", times(ids, s), batching, swap),
	}
	used := spent(f, ids...)
	allocated(f, ids...) // for the evidence
	switch {
	case v.Holds == lab.Unclear:
		v.Why = tooNoisy
	case more == lab.No:
		v.Why = sentence("the choice between channel and mutex makes more of a difference here than batching", used)
	default:
		v.Why = sentence(fmt.Sprintf("an entry a message costs %.2f µs more for each line than 65,536 of them, "+
			"and a channel instead of a mutex %.2f µs",
			lineMicros(single.Value-batched.Value), lineMicros(batched.Value-mutex.Value)), used) +
			" How long goroutines wait for messages was not measured."
	}
	return v
}

func judgePool(f *evidence.Figures) (v lab.Verdict) {
	ids := []string{"rev5", "rev6"}
	s, ok := fastest(f, ids...)
	if !ok {
		return v
	}
	ratio := lab.Over(s[0], s[1])
	v = lab.Verdict{Holds: lab.NotMore(ratio), Ours: times(ids, s) + ": " + ratio.String()}
	memory, used := allocated(f, ids...), spent(f, ids...)
	switch v.Holds {
	case lab.Yes:
		v.Why = sentence("the pools hold little of what is allocated, the slices but no strings or lists", memory)
	case lab.No:
		v.Why = sentence("with the pools it is faster", memory, used) +
			" Which of these figures makes the difference was not measured."
	default:
		v.Why = tooNoisy
	}
	return v
}

func judgeRegexps(f *evidence.Figures) (v lab.Verdict) {
	ids := []string{"rev6", "rev7", "rev8"}
	s, ok := fastest(f, ids...)
	if !ok {
		return v
	}
	capturing, matching, none := s[0], s[1], s[2]
	ratio := lab.Over(capturing, none)
	v = lab.Verdict{Holds: lab.Factor(ratio, 9.235/6.644), Ours: times(ids, s) + ": " + ratio.String() +
		fmt.Sprintf(", a share of %.0f %%", 100*(1-none.Value/capturing.Value))}
	used := spent(f, "rev6", "rev8")
	allocated(f, ids...) // for the evidence
	switch v.Holds {
	case lab.Unclear:
		v.Why = tooNoisy
	case lab.No:
		v.Why = sentence("without the expression it takes as long", used, waiting(f, "rev8"))
	default:
		v.Why = sentence(fmt.Sprintf("the expression costs %.2f µs of the time for a line, %.2f of it for capturing",
			lineMicros(capturing.Value-none.Value), lineMicros(capturing.Value-matching.Value)), used)
	}
	return v
}

func judgeWall(f *evidence.Figures) (v lab.Verdict) {
	ids := []string{"rev9", "read-text"}
	s, ok := fastest(f, ids...)
	if !ok {
		return v
	}
	ratio := lab.Over(s[0], s[1])
	v = lab.Verdict{Holds: lab.Same(ratio), Ours: times(ids, s) + ": " + ratio.String()}
	used, memory := spent(f, ids...), allocated(f, ids...)
	switch {
	case v.Holds == lab.Yes:
		v.Why = sentence("the rest of the work is done beside reading", used)
	case v.Holds == lab.No && ratio.Value > 1:
		v.Why = sentence("the rest of the work takes longer than reading", used, waiting(f, "rev9")) +
			" The article's machine had 8 threads."
	case v.Holds == lab.No:
		v.Why = sentence("reading alone takes longer than reading and processing, for a reason that was not measured", memory)
	default:
		v.Why = tooNoisy
	}
	return v
}

// tabled are the revisions in the article's table of times and allocation.
var tabled = []string{"rev0", "rev2", "rev3", "rev4", "rev5", "rev6", "rev7", "rev8", "rev9"}

// Least rank correlations for a claim that one figure follows another: for holding, and for holding in
// part. The article's own figures have 0.60.
const (
	follows = 0.6
	related = 0.3
)

// judgeAllocation compares the order of the revisions by allocated bytes with that by time: by the
// fastest runs, and by the lower quartile. If these disagree it can't be told.
func judgeAllocation(f *evidence.Figures) (v lab.Verdict) {
	seconds, ok := fastest(f, tabled...)
	if !ok {
		return v
	}
	var first, quartile, bytes []float64
	for i, id := range tabled {
		m, known := f.Memory(id, warm(0), "line")
		if !known {
			return lab.Verdict{Why: id + " has no figures of its memory"}
		}
		first, quartile = append(first, seconds[i].Value), append(quartile, seconds[i].High)
		bytes = append(bytes, m.Item)
	}
	by, other := rankCorrelation(bytes, first), rankCorrelation(bytes, quartile)
	v = lab.Verdict{Holds: following(by)}
	v.Ours = fmt.Sprintf("rank correlation %.2f (%.2f by the lower quartile) of %d revisions", by, other, len(tabled))
	if v.Holds != following(other) {
		v.Holds, v.Why = lab.Unclear, "The order of the revisions differs between their fastest runs and the others."
		return v
	}
	// The steps of the article change several things at once. Two of them tell more than the order does.
	step := func(from, to int) string {
		return fmt.Sprintf("from %s to %s the bytes change by %+.0f %% and the time by %+.0f %%", tabled[from], tabled[to],
			100*(bytes[to]/bytes[from]-1), 100*(first[to]/first[from]-1))
	}
	const rev0, rev4, rev5, rev6, rev9 = 0, 3, 4, 5, 8
	v.Why = sentence("the revisions change several things at once, and an order shows no cause",
		step(rev5, rev6)+", with pools alone; "+step(rev0, rev4)+", with batches; "+step(rev0, rev9)+", with all")
	return v
}

func following(correlation float64) lab.Holds {
	switch {
	case correlation >= follows:
		return lab.Yes
	case correlation >= related:
		return lab.InPart
	}
	return lab.No
}

// rankCorrelation returns Spearman's coefficient: 1 if both lists have the same order, -1 if one is the
// reverse of the other. Equal values get ranks in any order.
func rankCorrelation(a, b []float64) float64 {
	ra, rb := ranks(a), ranks(b)
	squares := 0.0
	for i := range ra {
		d := float64(ra[i] - rb[i])
		squares += d * d
	}
	n := float64(len(a))
	return 1 - 6*squares/(n*(n*n-1))
}

func ranks(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	out := make([]int, len(values))
	for rank, i := range order {
		out[i] = rank
	}
	return out
}

// judgeBug compares what the buggy revision answers with what is right.
func judgeBug(f *evidence.Figures) (v lab.Verdict) {
	m := f.Any("rev2-bug", warm(0))
	if m == nil {
		return v
	}
	if m.Wrong == "" {
		return lab.Verdict{Holds: lab.Unclear, Ours: "the right answer in every run",
			Why: "The file's number of lines is a multiple of 65,536, and so nothing was lost. " + cause}
	}
	for _, line := range differences(m.Want, m.Wrong) {
		f.Note("%s", line)
	}
	v = lab.Verdict{Holds: lab.Yes, Ours: "another answer than the right one",
		Why: "The answer is wrong, but not by the lines of the last chunk: why is not known."}
	all, err := linesOf(m.Want)
	counted, e := linesOf(m.Wrong)
	if err != nil || e != nil || all == counted {
		return v
	}
	v.Ours = fmt.Sprintf("%d of %d lines are missing", all-counted, all)
	if all-counted == all%int64(chunkLines) {
		v.Why = fmt.Sprintf("%d are the lines after the last %d of a whole chunk. %s", all-counted, chunkLines, cause)
	}
	return v
}

const cause = "A goroutine is started whenever 65,536 lines are together, and none for the rest after the last " +
	"line. So the lines of the last chunk are lost, silently; a file of less than a chunk has no answer at all."

func linesOf(answer string) (int64, error) {
	first, _, _ := strings.Cut(answer, "\n")
	return strconv.ParseInt(strings.TrimPrefix(first, "lines: "), 10, 64)
}

// Of a wrong answer the first lines that differ are shown, and the first bytes of each.
const (
	differencesMax = 3
	lineBytesMax   = 60
)

// differences returns the lines of a wrong answer that differ from the right one, the first of them.
func differences(want, wrong string) (evidence []string) {
	right := strings.Split(want, "\n")
	more := 0
	for i, line := range strings.Split(wrong, "\n") {
		switch {
		case i >= len(right) || line == right[i]:
		case len(evidence) == differencesMax:
			more++
		default:
			evidence = append(evidence, fmt.Sprintf("it says %q, right is %q", shortened(line), shortened(right[i])))
		}
	}
	if more > 0 {
		evidence = append(evidence, fmt.Sprintf("%d more lines of the answer differ", more))
	}
	return evidence
}

// shortened returns a line without what is too long to show. Answers are ASCII.
func shortened(line string) string {
	if len(line) <= lineBytesMax {
		return line
	}
	return line[:lineBytesMax] + "…"
}
