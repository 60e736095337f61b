package donations

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/lab"
)

// claims returns the article's conclusions.
func claims() []lab.Claim {
	return []lab.Claim{
		{ID: "D1", Text: "A goroutine for each line is 30 times slower than one goroutine for all.",
			Theirs: "rev1 732 s, rev0 24.98 s: 29.3 times; for the first million lines 9.8 s, 7 times",
			Judge:  judgeGoroutines},
		{ID: "D2", Text: "Batching is worth more than the choice between channels and mutexes.",
			Theirs: "a batch a message (rev2 to rev3): 1.71 times; a mutex for a channel (rev3 to rev4): 1.03 times",
			Judge:  judgeBatching},
		{ID: "D3", Text: "A pool brings no time.",
			Theirs: "rev5 8.78 s, with pools (rev6) 9.24 s; 17,216 and 16,125 MiB allocated",
			Judge:  judgePool},
		{ID: "D4", Text: "Regular expressions cost a third of the time.",
			Theirs: "rev6 9.24 s, without (rev8) 6.64 s: 1.39 times",
			Judge:  judgeRegexps},
		{ID: "D5", Text: "Time follows what is allocated.",
			Theirs: "rev0 16,100 MiB and 24.98 s, rev8 11,217 and 6.64, rev9 6,590 and 3.88; rank correlation 0.60",
			Judge:  judgeAllocation},
		{ID: "D6", Text: "The wall is reading lines.",
			Theirs: "3.57 s of 3.88 s: rev9 takes 1.09 times as long as reading lines",
			Judge:  judgeWall},
		{ID: "D7", Text: "Revision 2 has a bug.",
			Theirs: "exercise 4: find it",
			Judge:  judgeBug},
	}
}

func judgeGoroutines(e *lab.Experiment, r lab.Results) lab.Verdict {
	f := &figures{e: e, r: r}
	one, many := f.of("rev0"), f.of("rev1")
	if v, missing := f.untested(); missing {
		return v
	}
	ratio := lab.Over(many, one)
	v := lab.Verdict{Holds: lab.Factor(ratio, 732/24.976), Ours: times("rev1", many, "rev0", one) + ": " + ratio.String()}
	lines := f.last("rev1").Items
	v.Why = fmt.Sprintf("A goroutine and three messages through channels without a buffer cost %.1f µs a line, of %d "+
		"lines on %d processors. The article had 7 times at a million lines and 29 at 18.2 million, on 8 threads "+
		"that contended for the channels, with the scheduler of Go 1.12.",
		(many.Value-one.Value)/articleLines*1e6, lines, r.Machine.Processors)
	if v.Holds == lab.No {
		v.Why = fmt.Sprintf("In a file of %d lines the messages cost no more than the work they hand over.", lines)
	}
	v.Evidence = append(f.memory("rev0", "rev1"), f.processor("rev0", "rev1")...)
	return v
}

func judgeBatching(e *lab.Experiment, r lab.Results) lab.Verdict {
	f := &figures{e: e, r: r}
	single, batched, mutex := f.of("rev2"), f.of("rev3"), f.of("rev4")
	if v, missing := f.untested(); missing {
		return v
	}
	batching, swap := lab.Over(single, batched), lab.Over(batched, mutex)
	if swap.Value < 1 {
		swap = lab.Over(mutex, batched)
	}
	more := lab.Unclear
	switch batching.Side(swap.Value) {
	case 1:
		more = lab.Yes
	case -1:
		more = lab.No
	}
	v := lab.Verdict{
		Holds: lab.All(lab.Factor(batching, 18.285/10.668), more),
		Ours: fmt.Sprintf("%s; batching %s, mutex against channel %s",
			times("rev2", single, "rev3", batched, "rev4", mutex), batching, swap),
		Evidence: append(f.memory("rev2", "rev3", "rev4"), f.processor("rev2", "rev3", "rev4")...),
	}
	v.Why = fmt.Sprintf("An entry a message costs %.2f µs more for each line than 65,536 of them, most of it for waking "+
		"the other side. With one message a chunk there is nothing left that a mutex could save.",
		(single.Value-batched.Value)/articleLines*1e6)
	if more == lab.No {
		v.Why = "The choice between channel and mutex makes more of a difference here than batching."
	}
	return v
}

func judgePool(e *lab.Experiment, r lab.Results) lab.Verdict {
	f := &figures{e: e, r: r}
	without, with := f.of("rev5"), f.of("rev6")
	if v, missing := f.untested(); missing {
		return v
	}
	ratio := lab.Over(without, with)
	v := lab.Verdict{Holds: lab.NotMore(ratio), Ours: times("rev5", without, "rev6", with) + ": " + ratio.String(),
		Evidence: f.memory("rev5", "rev6")}
	v.Why = "The pools save slices of 65,536 headers each; most of what is allocated are the lines' strings and the " +
		"lists, which they do not hold."
	if v.Holds == lab.No {
		v.Why = "Slices that are used again need no new pages from the kernel and leave less to the collector."
	}
	return v
}

func judgeRegexps(e *lab.Experiment, r lab.Results) lab.Verdict {
	f := &figures{e: e, r: r}
	capturing, matching, none := f.of("rev6"), f.of("rev7"), f.of("rev8")
	if v, missing := f.untested(); missing {
		return v
	}
	ratio := lab.Over(capturing, none)
	v := lab.Verdict{Holds: lab.Factor(ratio, 9.235/6.644),
		Ours: times("rev6", capturing, "rev7", matching, "rev8", none) + ": " + ratio.String() +
			fmt.Sprintf(", a share of %.0f %%", 100*(1-none.Value/capturing.Value)),
		Evidence: append(f.memory("rev6", "rev7", "rev8"), f.processor("rev6", "rev8")...),
	}
	v.Why = fmt.Sprintf("The expression costs %.2f µs of the time for a line, %.2f of it for capturing.",
		(capturing.Value-none.Value)/articleLines*1e6, (capturing.Value-matching.Value)/articleLines*1e6)
	if v.Holds == lab.No {
		v.Why = "The expression is evaluated beside the goroutine that reads lines, and that one is not faster without it."
	}
	return v
}

func judgeWall(e *lab.Experiment, r lab.Results) lab.Verdict {
	f := &figures{e: e, r: r}
	all, reading := f.of("rev9"), f.of("read-text")
	if v, missing := f.untested(); missing {
		return v
	}
	ratio := lab.Over(all, reading)
	v := lab.Verdict{Holds: lab.Same(ratio), Ours: times("rev9", all, "read-text", reading) + ": " + ratio.String(),
		Evidence: append(f.processor("rev9", "read-text"), f.memory("rev9", "read-text")...)}
	o := f.last("rev9")
	busy := (o.UserSeconds + o.SystemSeconds) / o.Seconds
	switch {
	case v.Holds == lab.Yes:
		v.Why = "One goroutine reads lines, and the other processors finish their work meanwhile."
	case v.Holds == lab.No && ratio.Value > 1 && busy > 0.8*float64(r.Machine.Processors):
		v.Why = fmt.Sprintf("All %d processors are busy: they are too few to do the rest beside reading. "+
			"The article's machine had 8 threads.", r.Machine.Processors)
	case v.Holds == lab.No && ratio.Value > 1:
		v.Why = fmt.Sprintf("Only %.1f of %d processors are busy, and yet it takes longer than reading: the goroutines "+
			"wait for each other, at the mutex and for the collector.", busy, r.Machine.Processors)
	case v.Holds == lab.No:
		v.Why = "Reading alone takes longer than reading and processing, which shows only that the runs differ in what " +
			"the collector does."
	default:
		v.Why = "The runs differ too much."
	}
	return v
}

// judgeBug compares what the buggy revision answers with what is right.
func judgeBug(_ *lab.Experiment, r lab.Results) lab.Verdict {
	const cause = "A goroutine is started whenever 65,536 lines are together, and none for the rest after the last " +
		"line. So the lines of the last chunk are lost, silently; a file of less than a chunk has no answer at all."
	for _, m := range r.Measurements {
		switch {
		case m.Variant != "donations/rev2-bug":
		case m.Wrong != "":
			return lab.Verdict{Holds: lab.Yes, Ours: lost(m.Want, m.Wrong), Why: cause,
				Evidence: differences(m.Want, m.Wrong)}
		case len(m.Outcomes) > 0:
			return lab.Verdict{Holds: lab.Unclear, Ours: "the right answer in every run",
				Why: "The file's number of lines is a multiple of 65,536, and so nothing was lost. " + cause}
		case m.Skipped != "":
			return lab.Verdict{Holds: lab.Untested, Why: "rev2-bug was not run: " + m.Skipped + "."}
		}
	}
	return lab.Verdict{Holds: lab.Untested, Why: "rev2-bug was not run."}
}

// lost says how many lines are missing in a wrong answer.
func lost(want, wrong string) string {
	all, err := linesOf(want)
	counted, e := linesOf(wrong)
	if err != nil || e != nil || all == counted {
		return "another answer than the right one"
	}
	return fmt.Sprintf("%d of %d lines are missing", all-counted, all)
}

func linesOf(answer string) (int64, error) {
	first, _, _ := strings.Cut(answer, "\n")
	return strconv.ParseInt(strings.TrimPrefix(first, "lines: "), 10, 64)
}

// differences returns the lines of a wrong answer that differ from the right one.
func differences(want, wrong string) (evidence []string) {
	right := strings.Split(want, "\n")
	for i, line := range strings.Split(wrong, "\n") {
		if i < len(right) && line != right[i] {
			evidence = append(evidence, fmt.Sprintf("it says %q, right is %q", line, right[i]))
		}
	}
	return evidence
}
