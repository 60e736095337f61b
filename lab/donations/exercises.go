package donations

import (
	"fmt"

	"github.com/thresh-dev/thresh/lab"
)

// exercises returns what the article leaves to its readers, as claims that can be judged. Exercise 4 is
// claim D7; exercises 2 and 5 share a program.
func exercises() []lab.Claim {
	return []lab.Claim{
		{ID: "E1", Text: "Exercise 1: two goroutines that read the file are faster than one.",
			Theirs: "no figure", Judge: judgeSections},
		{ID: "E2", Text: "Exercise 2: strings that are not copied break the wall of reading lines.",
			Theirs: "no figure; the wall is 3.57 s", Judge: judgeZeroCopy},
		{ID: "E3", Text: "Exercise 3: Java can be as fast as revision 9.",
			Theirs: "no figure; java-7 takes 5.9 times as long as rev9", Judge: judgeJava},
		{ID: "E5", Text: "Exercise 5: the list of names need not cost time.",
			Theirs: "no figure", Judge: judgeNames},
		{ID: "E6", Text: "Exercise 6: without the garbage collector it is faster.",
			Theirs: "no figure; the collector took 3 % of rev9's time", Judge: judgeNoGC},
		{ID: "E7", Text: "Exercise 7: idiomatic Go is still fast.",
			Theirs: "no figure", Judge: judgeIdiomatic},
	}
}

// question is an exercise that compares two programs by a rule.
type question struct {
	a, b  string                      // programs
	rule  func(r lab.Ratio) lab.Holds // of the times of a over b
	why   map[lab.Holds]string
	facts func(f *figures) []string
}

func (q question) judge(e *lab.Experiment, r lab.Results) lab.Verdict {
	f := &figures{e: e, r: r}
	a, b := f.of(q.a), f.of(q.b)
	if v, missing := f.untested(); missing {
		return v
	}
	ratio := lab.Over(a, b)
	v := lab.Verdict{Holds: q.rule(ratio), Ours: times(q.a, a, q.b, b) + ": " + ratio.String()}
	if v.Why = q.why[v.Holds]; v.Why == "" {
		v.Why = "The runs differ too much."
	}
	v.Evidence = q.facts(f)
	return v
}

// faster judges "b is faster than a", by any ratio that counts as a difference.
func faster(r lab.Ratio) lab.Holds {
	switch {
	case r.Side(lab.Equal) > 0:
		return lab.Yes
	case r.Side(lab.Equal) < 0:
		return lab.No
	}
	return lab.Unclear
}

func judgeSections(e *lab.Experiment, r lab.Results) lab.Verdict {
	return question{a: "rev9", b: "sections", rule: faster, why: map[lab.Holds]string{
		lab.Yes: "The file is in memory, and one goroutine could not make strings of lines as fast as the others " +
			"process them. A spinning disk would have to move between the two places.",
		lab.No: "Reading is not what limits revision 9 here: the processors are busy with the rest, and a second reader " +
			"takes one away from it.",
	}, facts: func(f *figures) []string { return f.processor("rev9", "sections") }}.judge(e, r)
}

func judgeZeroCopy(e *lab.Experiment, r lab.Results) lab.Verdict {
	return question{a: "read-text", b: "rev10", rule: faster, why: map[lab.Holds]string{
		lab.Yes: "Blocks are handed over instead of lines, so the processors share the search for line feeds, and no " +
			"line is copied: four questions are answered in less time than revision 9 needs to read.",
		lab.No: "No line is copied, and the processors share the search for line feeds. But these processors need as " +
			"long to find fields and count as one needs to make strings of the lines.",
	}, facts: func(f *figures) []string {
		return append(f.memory("read-text", "rev10"), f.processor("read-text", "rev10")...)
	}}.judge(e, r)
}

func judgeJava(e *lab.Experiment, r lab.Results) lab.Verdict {
	return question{a: "java-9", b: "rev9", rule: lab.NotMore, why: map[lab.Holds]string{
		lab.Yes: "With the same design, and without expressions and lists, Java is no slower: there was no magic in Go.",
		lab.No: "The same design takes longer in Java, beginning with a decoder that turns bytes into strings, and code " +
			"that is compiled while it runs.",
	}, facts: func(f *figures) []string { return f.processor("java-9", "rev9") }}.judge(e, r)
}

func judgeNames(e *lab.Experiment, r lab.Results) lab.Verdict {
	return question{a: "rev10", b: "rev9", rule: lab.NotMore, why: map[lab.Holds]string{
		lab.Yes: "The names of a block are copied one behind the other, 16 bytes of a line of 190, and the block is used " +
			"again. That costs less than the strings of whole lines that revision 9 makes.",
		lab.No: "A list of all names costs more than was saved: new pages for it come from the kernel.",
	}, facts: func(f *figures) []string { return f.memory("rev10", "rev9") }}.judge(e, r)
}

func judgeNoGC(e *lab.Experiment, r lab.Results) lab.Verdict {
	return question{a: "rev9", b: "nogc", rule: faster, why: map[lab.Holds]string{
		lab.Yes: "Nothing is marked or swept, and the goroutines are not asked to help.",
		lab.No: "The heap of revision 9 is small and cheap to mark. Without the collector no memory is used twice: " +
			"all of it is new pages, which the kernel has to clear.",
	}, facts: func(f *figures) []string {
		return append(f.memory("rev9", "nogc"), f.processor("rev9", "nogc")...)
	}}.judge(e, r)
}

// fast is how many times as long as revision 9 a program on one processor may take to be called fast: as
// long as revision 8 took in the article.
const fast = 6.644 / 3.880

func judgeIdiomatic(e *lab.Experiment, r lab.Results) lab.Verdict {
	return question{a: "idiomatic", b: "rev9", rule: func(r lab.Ratio) lab.Holds {
		switch r.Side(fast) {
		case 1:
			return lab.No
		case -1:
			return lab.Yes
		}
		return lab.Unclear
	}, why: map[lab.Holds]string{
		lab.Yes: fmt.Sprintf("One goroutine that collects nothing takes at most %.1f times as long as revision 9 on all "+
			"processors, as long as revision 8 did in the article.", fast),
		lab.No: "One goroutine is far slower than revision 9 on this many processors.",
	}, facts: func(f *figures) []string {
		return append(f.memory("idiomatic", "rev9"), f.processor("idiomatic", "rev9")...)
	}}.judge(e, r)
}
