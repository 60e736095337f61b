package compared

import (
	"math/rand/v2"
	"testing"
	"time"
)

// costs is how long a piece of 2 MiB takes with each engine, in microseconds.
type costs [2]float64

// simulate hands out pieces whose costs change with the piece, and returns how long all took. Some
// samples are disturbed, as by another process.
func simulate(seed uint64, pieces int, at func(i int) costs) (c chooser, micros float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	c.timed = true
	for i := range pieces {
		way := c.next()
		cost := at(i)[way] * (1 + 0.03*r.Float64())
		if r.IntN(10) == 0 {
			cost += 300 * r.Float64()
		}
		micros += cost
		if c.measures(way) {
			c.record(way, 2<<20, time.Duration(cost*1000))
		}
	}
	return c, micros
}

// TestChooser compares what the chooser costs with what always choosing the better engine would.
func TestChooser(t *testing.T) {
	tests := []struct {
		name   string
		pieces int
		at     func(i int) costs
		most   float64 // times the cost of the better engine
	}{
		{"the first is better", 500, func(int) costs { return costs{80, 160} }, 1.08},
		{"the second is better", 500, func(int) costs { return costs{160, 80} }, 1.08},
		{"about the same", 500, func(int) costs { return costs{100, 101} }, 1.03},
		{"few pieces, the second is better", 32, func(int) costs { return costs{130, 100} }, 1.25},
		{"few pieces, the first is better", 32, func(int) costs { return costs{100, 130} }, 1.25},
		{"the file changes in its middle", 1000, func(i int) costs {
			if i < 500 {
				return costs{80, 110}
			}
			return costs{170, 110}
		}, 1.04},
		{"and the other way round", 1000, func(i int) costs {
			if i < 500 {
				return costs{170, 110}
			}
			return costs{80, 110}
		}, 1.04},
		{"it changes four times", 2000, func(i int) costs {
			if i/400%2 == 0 {
				return costs{80, 110}
			}
			return costs{170, 110}
		}, 1.05},
	}
	for _, test := range tests {
		for seed := range uint64(20) {
			_, took := simulate(seed, test.pieces, test.at)
			_, least := simulate(seed, test.pieces, func(i int) costs {
				better := min(test.at(i)[0], test.at(i)[1])
				return costs{better, better}
			})
			if took > test.most*least {
				t.Errorf("%s, seed %d: %.2f times the better engine's time", test.name, seed, took/least)
			}
		}
	}
}

// TestBursts disturbs several pieces in a row, whichever engine they are for, as a program beside does: the engine that is a
// quarter slower gets few pieces all the same.
func TestBursts(t *testing.T) {
	const pieces = 1000
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 2))
		c := chooser{timed: true}
		slower, burst := 0, 0
		for range pieces {
			if burst--; r.IntN(100) == 0 {
				burst = 3 + r.IntN(6)
			}
			way := c.next()
			micros := costs{320, 250}[way] * (1 + 0.3*r.Float64())
			if burst > 0 {
				micros *= 2 + 2*r.Float64()
			}
			if way == 0 {
				slower++
			}
			if c.measures(way) {
				c.record(way, 2<<20, time.Duration(micros*1000))
			}
		}
		if slower > pieces/6 {
			t.Errorf("seed %d: %d of %d pieces by the slower engine", seed, slower, pieces)
		}
	}
}

// TestShortPieces sees that the last piece of a file, which is short, decides nothing.
func TestShortPieces(t *testing.T) {
	c := chooser{timed: true}
	for range 100 {
		c.record(c.next(), 1000, time.Microsecond)
	}
	chosen := c.chosen
	c.record(1-chosen, 10, time.Nanosecond/10)
	if c.chosen != chosen {
		t.Error("a short piece changed the choice")
	}
}

// TestFaults gives a chooser that counts faults pieces of 2 MiB with a fault for so many KiB.
func TestFaults(t *testing.T) {
	const pieceBytes = 2 << 20
	tests := []struct {
		name    string
		at      func(i int) int64 // KiB for each fault of piece i
		pieces  int
		reads   int // pieces that reads are better for
		mostBad int // pieces that may go to the worse engine
	}{
		{"large folios", func(int) int64 { return 2048 }, 1000, 0, 0},
		{"no fault at all", func(int) int64 { return 1 << 20 }, 1000, 0, 0},
		{"copied", func(int) int64 { return 128 }, 1000, 0, 0},
		{"just enough", func(int) int64 { return 86 }, 1000, 0, 0},
		{"just not enough", func(int) int64 { return 81 }, 1000, 1000, countsKept + 3 + 1000/32},
		{"single pages", func(int) int64 { return 62 }, 1000, 1000, countsKept + 3 + 1000/32},
		{"each page", func(int) int64 { return 4 }, 24, 24, countsKept + 2},
		{"small folios at the beginning", func(i int) int64 { return 64 + int64(min(i/6, 1))*1984 }, 180, 6, 6},
		{"single pages from the middle on", func(i int) int64 { return 2048 - int64(i/500)*1984 }, 1000, 500, measuredEvery*countsKept + 3 + 500/32},
		{"single pages up to the middle", func(i int) int64 { return 64 + int64(i/500)*1984 }, 1000, 500, countsKept + 3 + 500/32 + 31},
	}
	for _, test := range tests {
		var c chooser
		bad, reads := 0, 0
		for i := range test.pieces {
			faults := pieceBytes / (test.at(i) << 10)
			read := c.next() == 1
			if !read && c.measures(0) {
				c.recordFaults(pieceBytes, faults)
			}
			readIsBetter := faults*faultBytes > pieceBytes
			if readIsBetter {
				reads++
			}
			if read != readIsBetter {
				bad++
			}
		}
		if reads != test.reads || bad > test.mostBad {
			t.Errorf("%s: %d of %d pieces by the worse engine, at most %d; %d to be read, want %d",
				test.name, bad, test.pieces, test.mostBad, reads, test.reads)
		}
	}
	var c chooser
	for range countsKept {
		c.recordFaults(pieceBytes, 100)
	}
	if c.recordFaults(1000, 0); c.chosen != 1 {
		t.Error("a short piece changed the choice")
	}
	if c.recordFaults(pieceBytes, 1); c.chosen != 0 {
		t.Error("a piece of few faults did not change the choice")
	}
	for range countsKept - 1 { // as many faults as a worker takes when it starts
		if c.recordFaults(pieceBytes, 100); c.chosen != 0 {
			t.Error("a few pieces changed the choice")
		}
	}
}
