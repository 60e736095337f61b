package donations

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/evidence"
)

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
