package compared

import (
	"time"

	"github.com/thresh-dev/thresh/internal/threshold"
)

const (
	// samplesKept is how many samples of each engine count. Everything that disturbs a sample makes it
	// slower, so the fastest of a few is close to the truth; more of them would hide a change for long.
	samplesKept = 3
	// fasterBy is how many times as fast the other engine must be to become the chosen one.
	fasterBy = 1.08
)

// sampleEvery is the number of pieces of which one is read by the engine that is not chosen. If that
// one is half as fast, it costs a thirty-second.
var sampleEvery = threshold.New("compared: pieces for a sample of the other engine", 32, 2)

// chooser chooses between two engines by how long pieces took. The zero value prefers the first one.
type chooser struct {
	chosen   int
	pieces   int // handed out
	largest  int // bytes of the largest piece: shorter ones are not compared with it
	samples  [2][samplesKept]float64
	recorded [2]int
}

// next returns the engine for the next piece. Early on the other engine gets a few pieces in quick
// succession, because its first one pays for a buffer; then one of sampleEvery.
func (c *chooser) next() int {
	c.pieces++
	every := sampleEvery.Get()
	if n := c.recorded[1-c.chosen]; n < samplesKept {
		every = max(every/8, 2)
	}
	if c.pieces%every == 0 {
		return 1 - c.chosen
	}
	return c.chosen
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
	if c.recorded[other] > 0 && c.recorded[c.chosen] > 0 && c.best(other)*fasterBy < c.best(c.chosen) {
		c.chosen = other
	}
}

// best returns the least seconds a byte of the kept samples.
func (c *chooser) best(i int) float64 {
	least := c.samples[i][0]
	for _, s := range c.samples[i][1:min(c.recorded[i], samplesKept)] {
		least = min(least, s)
	}
	return least
}
