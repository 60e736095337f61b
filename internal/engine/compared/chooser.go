package compared

import (
	"slices"
	"time"

	"github.com/thresh-dev/thresh/internal/threshold"
)

const (
	// samplesKept is how many samples of each engine count. Everything that disturbs a sample makes it
	// slower, so the fastest of a few is close to the truth; more of them would hide a change for long.
	samplesKept = 3
	// fasterBy is how many times as fast the other engine must be to become the chosen one.
	fasterBy = 1.08
	// faultBytes is how many bytes a fault of the mapping must bring for it to be worth while. With fewer,
	// as in files that lie in single pages, the faults take longer than copying the bytes: of a file in
	// memory in pages of 4 KiB, a fault for 62 KiB, lines were counted in 119 ms mapped and 100 ms read,
	// of one with a fault for 125 KiB in 71 and 82 ms.
	faultBytes = 85 << 10
)

// sampleEvery is the number of pieces of which one is read by the engine that is not chosen. If that
// one is half as fast, it costs a thirty-second.
var sampleEvery = threshold.New("compared: pieces for a sample of the other engine", 32, 2)

// againAfter is after how many pieces the engine that was left gets one: three disturbed samples in a row, as when
// another program takes the processor, look like an engine that became slow. Then twice as many, and so on.
const againAfter = 2

// measuredEvery is the number of pieces of the chosen engine of which one is measured: asking the system for what a
// thread used takes time, too. While faults decide, so many pieces are read before the mapping gets the next one:
// twice as many each time, up to sampleEvery.
const measuredEvery = 4

// countsKept is how many of those samples count: the fewest faults of them do. A worker's first pieces
// also take faults of memory that is new to it, and the first MiB of a file that was read once lie in
// smaller folios than the rest.
const countsKept = 8

// chooser chooses between two engines. The zero value prefers the first one.
type chooser struct {
	timed    bool // by how long pieces took; otherwise by the faults of the first engine, a mapping
	chosen   int
	pieces   int                     // handed out
	wait     int                     // pieces to be read until the mapping gets one, while faults decide
	waits    int                     // pieces that were read before the last one that the mapping got
	largest  int                     // bytes of the largest piece: shorter ones are not compared with it
	samples  [2][samplesKept]float64 // seconds a byte
	recorded [2]int
	doubt    bool                // the other engine was faster when it was last used
	since    int                 // pieces since the choice changed
	again    int                 // how many of them, after the first againAfter, until the other engine gets one too
	faults   [countsKept]float64 // faults a byte
	counted  int
}

// next returns the engine for the next piece. The other engine gets a few pieces in quick succession after the choice
// has changed, and early on, because its first one pays for a buffer; then one of sampleEvery.
func (c *chooser) next() int {
	c.pieces++
	if !c.timed {
		if c.chosen == 0 || c.wait == 0 {
			return 0
		}
		c.wait--
		return 1
	}
	c.since++
	if c.since == againAfter+c.again {
		c.again += min(againAfter+c.again, sampleEvery.Get())
		c.doubt = true
	}
	if c.doubt {
		c.doubt = false
		return 1 - c.chosen
	}
	return c.chosen
}

// measures reports whether the time of the next piece, or the faults of one of the mapping, are to be recorded.
func (c *chooser) measures(i int) bool {
	return (c.timed || i == 0) && (i != c.chosen || c.pieces <= countsKept || c.pieces%measuredEvery == 0)
}

// recordFaults takes note of how many faults the mapping took for a piece.
func (c *chooser) recordFaults(bytes int, faults int64) {
	c.largest = max(c.largest, bytes)
	if 2*bytes < c.largest {
		return
	}
	c.faults[c.counted%countsKept] = float64(faults) / float64(bytes)
	c.counted++
	if c.counted < countsKept || slices.Min(c.faults[:])*faultBytes <= 1 {
		c.chosen, c.waits = 0, 0
		return
	}
	c.chosen = 1
	c.waits = min(max(2*c.waits, measuredEvery), sampleEvery.Get())
	c.wait = c.waits
}

// record takes note of how long an engine took for a piece.
func (c *chooser) record(i, bytes int, took time.Duration) {
	if bytes > c.largest {
		c.largest = bytes
		c.recorded = [2]int{}
	}
	if 2*bytes < c.largest {
		return
	}
	c.samples[i][c.recorded[i]%samplesKept] = took.Seconds() / float64(bytes)
	c.recorded[i]++
	other := 1 - c.chosen
	if c.recorded[other] == 0 || c.recorded[c.chosen] == 0 {
		return
	}
	switch slow := c.best(c.chosen) / fasterBy; {
	case i == c.chosen:
		c.doubt = c.best(other) < slow
	case took.Seconds()/float64(bytes) < slow:
		c.chosen, c.doubt, c.since, c.again = other, false, 0, 0
	}
}

// best returns the least of the kept samples.
func (c *chooser) best(i int) float64 {
	least := c.samples[i][0]
	for _, s := range c.samples[i][1:min(c.recorded[i], samplesKept)] {
		least = min(least, s)
	}
	return least
}
