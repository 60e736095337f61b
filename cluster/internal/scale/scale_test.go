package scale

import (
	"flag"
	"math"
	"os"
	"strings"
	"testing"
)

// cases returns jobs of all kinds: few and many ranges for each worker, storage that is slower than the workers,
// just as fast, and faster, with and without slow workers and failures.
func cases() (all []Job) {
	const rate, rangeBytes = 3e9, 1 << 30
	for _, workers := range []int{10, 100, 1000} {
		for _, ranges := range []float64{1.5, 3, 10, 40} { // for each worker
			for _, storage := range []float64{0.5, 1, 4} { // of what the workers could scan
				for _, slow := range []int{0, workers / 10} {
					for _, failing := range []float64{0, 0.05} {
						all = append(all, Job{Bytes: ranges * float64(workers) * rangeBytes, RangeBytes: rangeBytes, Workers: workers,
							Rate: rate, Storage: storage * rate * float64(workers), RangeTime: 0.01, Slow: slow, SlowTimes: 3,
							Failing: failing})
					}
				}
			}
		}
	}
	return all
}

// The bounds that docs/scale.md states, of the model's difference from the simulation.
const (
	differenceMax = 0.20
	manyMax       = 0.05 // with ten ranges or more for each worker
)

// TestModel compares the model with the simulation in 144 cases.
func TestModel(t *testing.T) {
	all := cases()
	if len(all) != 144 {
		t.Fatalf("%d cases", len(all))
	}
	least, most, many := 0.0, 0.0, 0.0
	for _, j := range all {
		seeds := 1
		if j.Failing > 0 {
			seeds = 5
		}
		mean := 0.0
		for seed := range seeds {
			mean += Simulate(j, uint64(seed)) / float64(seeds)
		}
		e := Model(j)
		if mean < e.Least*(1-rounding) || mean > e.Most*(1+rounding) {
			t.Errorf("%+v: simulated %.3f s, outside %.3f to %.3f s", j, mean, e.Least, e.Most)
		}
		off := e.Time/mean - 1
		least, most = min(least, off), max(most, off)
		if j.ranges() >= 10*j.Workers {
			many = max(many, math.Abs(off))
		}
		if math.Abs(off) > differenceMax || j.ranges() >= 10*j.Workers && math.Abs(off) > manyMax {
			t.Errorf("%+v: simulated %.3f s, model %.3f s (%+.1f %%)", j, mean, e.Time, 100*off)
		}
	}
	t.Logf("%d cases: the model differs by %+.1f to %+.1f %%; by %.1f %% at most with ten ranges for each worker", len(all),
		100*least, 100*most, 100*many)
}

// TestSimulate compares the simulation with cases whose time is known.
func TestSimulate(t *testing.T) {
	for _, c := range []struct {
		name string
		job  Job
		want float64
	}{
		{"one worker", Job{Bytes: 1000, RangeBytes: 100, Workers: 1, Rate: 10, Storage: 99, RangeTime: 2, JobTime: 7},
			7 + 10*(2+10)},
		{"a short last range", Job{Bytes: 1010, RangeBytes: 100, Workers: 1, Rate: 10, Storage: 99}, 101},
		{"waves", Job{Bytes: 1300, RangeBytes: 100, Workers: 4, Rate: 10, Storage: 99, RangeTime: 1}, 4 * 11},
		{"storage is the wall", Job{Bytes: 800, RangeBytes: 100, Workers: 4, Rate: 10, Storage: 20}, 40},
		{"a slow worker has the last range", Job{Bytes: 400, RangeBytes: 100, Workers: 2, Rate: 10, Storage: 99, Slow: 1,
			SlowTimes: 3}, 30},
		// The slow worker takes 2 of 8 bytes a second for its 10 bytes, the other one 6, and then all.
		{"a slow worker leaves its share", Job{Bytes: 110, RangeBytes: 100, Workers: 2, Rate: 10, Storage: 8, Slow: 1,
			SlowTimes: 5}, 5 + 70.0/8},
		{"shares are even", Job{Bytes: 200, RangeBytes: 100, Workers: 2, Rate: 10, Storage: 8, Slow: 1, SlowTimes: 1.25},
			25},
	} {
		if got := Simulate(c.job, 1); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %.6f s, want %.6f", c.name, got, c.want)
		}
	}
	// Half of the attempts fail, after half of the bytes in the mean: 1.5 times the work.
	j := Job{Bytes: 1e6, RangeBytes: 100, Workers: 1, Rate: 10, Storage: 99, Failing: 0.5}
	if got := Simulate(j, 1); math.Abs(got/1.5e5-1) > 0.03 {
		t.Errorf("with failures: %.0f s", got)
	}
	if a, b := Simulate(j, 1), Simulate(j, 2); a != Simulate(j, 1) || a == b {
		t.Error("the seed does not decide what fails")
	}
}

var update = flag.Bool("update", false, "write the table into docs/scale.md")

// TestTable compares the table in the document with the model's.
func TestTable(t *testing.T) {
	const name, begin, end = "../../../docs/scale.md", "<!-- table: make cluster-scale -->\n", "<!-- end of the table -->"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	table, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s: no table", name)
	}
	if table == Table() {
		return
	}
	if !*update {
		t.Fatalf("%s is not up to date: make cluster-scale", name)
	}
	if err := os.WriteFile(name, []byte(before+begin+Table()+end+after), 0o666); err != nil {
		t.Fatal(err)
	}
}
