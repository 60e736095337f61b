package donations

// Revision is a program in Go, of the article or of its exercises.
type Revision struct {
	ID        string // "rev9"
	What      string
	Answer    func(path string) (Answer, error)
	published float64 // seconds, 0 for none
	by        rule
	share     float64 // of the input, 0 for all
	procs     int     // 0 for all
}

// A goroutine a line takes so long that a run gets a part of the file.
const shareOfRev1 = 0.1

// Revisions returns the programs in Go, in the article's order.
func Revisions() []Revision {
	return []Revision{
		{ID: "rev0", What: "one loop, lists, a regular expression, counted at the end",
			Answer: Rev0, published: 24.976, by: byExpression},
		{ID: "rev1", What: "a goroutine for each line, three channels; a tenth of the file, because it takes so long",
			Answer: Rev1, published: 732, by: byExpression, share: shareOfRev1},
		{ID: "rev2", What: "a goroutine for 65,536 lines, an entry a message; with its bug mended (exercise 4)",
			Answer: Rev2, published: 18.285, by: byExpression},
		{ID: "rev2-bug", What: "the same as published: loses the lines after the last full 65,536",
			Answer: Rev2Bug, published: 18.285, by: byExpression},
		{ID: "rev3", What: "all entries of 65,536 lines in one message",
			Answer: Rev3, published: 10.668, by: byExpression},
		{ID: "rev4", What: "a mutex instead of the channel",
			Answer: Rev4, published: 10.312, by: byExpression},
		{ID: "rev5", What: "counted while the mutex is held",
			Answer: Rev5, published: 8.781, by: byExpression},
		{ID: "rev6", What: "pools for the slices",
			Answer: Rev6, published: 9.235, by: byExpression},
		{ID: "rev7", What: "a regular expression that captures nothing",
			Answer: Rev7, published: 8.155, by: byCut},
		{ID: "rev8", What: "no regular expression",
			Answer: Rev8, published: 6.644, by: byCut},
		{ID: "rev9", What: "no lists, months as integers",
			Answer: Rev9, published: 3.880, by: byCut},
		{ID: "rev9-p1", What: "the same on one processor", Answer: Rev9, published: 12.007, by: byCut, procs: 1},
		{ID: "rev9-p2", What: "the same on two processors", Answer: Rev9, published: 6.410, by: byCut, procs: 2},
		{ID: "rev9-p3", What: "the same on three processors", Answer: Rev9, published: 4.571, by: byCut, procs: 3},
		{ID: "read-text", What: "lines are read as strings, and nothing else",
			Answer: ReadText, published: 3.568, by: linesOnly},
		{ID: "read-bytes", What: "lines are read as bytes, and nothing else",
			Answer: ReadBytes, published: 2.393, by: linesOnly},
		{ID: "sections", What: "rev9 with two readers, each of a section (exercise 1)", Answer: Sections, by: byCut},
		{ID: "rev10", What: "strings that are not copied, and the list of names (exercises 2 and 5)",
			Answer: Rev10, by: byExpression},
		{ID: "nogc", What: "rev9 without the garbage collector (exercise 6)", Answer: NoGC, by: byCut},
		{ID: "idiomatic", What: "clear and idiomatic Go on one processor (exercise 7)",
			Answer: Idiomatic, by: byExpression},
	}
}

// Rev0 is the article's first program. A loop over the lines fills a list of names, a list of first
// names found by a regular expression, and a list of dates. At the end it counts all three. The
// article reports 25 seconds, and 16,100 MiB of allocated memory.
//
// Kept: the three lists, FindAllStringSubmatch, and dates as text.
func Rev0(path string) (Answer, error) {
	var l lists
	parse := newParser(capturedFirstName)
	err := eachLine(path, func(text string) error {
		e, err := parse(text)
		if err != nil {
			return err
		}
		l.append(e)
		return nil
	})
	if err != nil {
		return Answer{}, err
	}
	l.answer.keepNames(0, l.names)
	return l.count(), nil
}
