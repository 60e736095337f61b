// Package prefetch asks the processor for memory before it is needed.
//
// A processor guesses what a loop will read next, but not beyond the end of a page, and a
// loop that does little with each line then waits for the first ones of every page. Work
// that needs no memory can be used for that: lines asked for in between arrive meanwhile.
package prefetch

// LineBytes is what is asked for at a time.
const LineBytes = 64

// Lines asks for the lines that p begins, LineBytes after LineBytes, to come into the core's
// second cache. Nothing is read: what cannot be, is not. A processor keeps some ten
// requests at a time, and waits where there are more; so ask for few, and often.
func Lines(p []byte) { lines(p) }
