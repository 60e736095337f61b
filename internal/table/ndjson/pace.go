package ndjson

import "time"

// pace chooses between skimming and walking. Which is faster depends on the lines, mostly on how many values they have,
// and on the processor. So both are tried on some texts in turn, and the one that was faster once is used for the next.
type pace struct {
	always  way // what a test chose, or undecided
	way     way
	turn    int
	best    [2]float64 // by way: the least time for a byte in this trial
	started time.Time
	bytes   int // of the text since then
}

type way int

const (
	walks way = iota
	skims
	undecided
)

// Of each roundTexts, the first trialTexts are a trial. A text shorter than trialBytes is walked, and proves nothing.
const trialTexts, roundTexts, trialBytes = 16, 1024, 4 << 10

// skims reports whether the next text, of so many bytes, should be skimmed.
func (p *pace) skims(bytes int) bool {
	if p.always != undecided {
		return p.always == skims
	}
	return p.choose(bytes, time.Now()) == skims
}

func (p *pace) choose(bytes int, now time.Time) way {
	if p.bytes > 0 {
		if t := float64(now.Sub(p.started)) / float64(p.bytes); p.best[p.way] == 0 || t < p.best[p.way] {
			p.best[p.way] = t
		}
	}
	p.started, p.bytes = now, 0
	if bytes < trialBytes {
		return walks
	}
	switch p.turn % roundTexts {
	case 0:
		p.best = [2]float64{}
		fallthrough
	default:
		if p.turn%roundTexts < trialTexts {
			p.way, p.bytes = way(p.turn&1), bytes
		}
	case trialTexts:
		p.way = walks
		if p.best[skims] < p.best[walks]*0.9 {
			p.way = skims
		}
	}
	p.turn++
	return p.way
}
