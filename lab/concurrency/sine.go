package concurrency

import (
	"context"
	"fmt"
	"math"

	"github.com/thresh-dev/thresh/lab"
)

// sine is the post's expensive work: the sum of the sines of a million integers, in 1, 2, 4, 8, 16 and
// as many goroutines as there are processors. Two are 1.5 times as fast as one and 16 are 11 times; 128
// are hardly faster than 16. The integers repeat from 0 to 999.
func sine() lab.Variant {
	setting := func(goroutines int) lab.Setting { return lab.Setting{N: sines, Workers: goroutines} }
	v := lab.Variant{
		ID: "go/sine", What: "add the sines of a million integers in some goroutines",
		Want: func(s lab.Setting) string { return wantSines[s.N] },
		Run: func(ctx context.Context, t lab.Task) (lab.Outcome, error) {
			numbers := make([]int, t.Setting.N)
			for i := range numbers {
				numbers[i] = i % 1000
			}
			total := 0.0
			o, err := repeated(ctx, func() { total = divided(numbers, workers(t.Setting), addSines) })
			o.Answer = fmt.Sprintf("%.3f", total) // the order of the additions changes the last digits
			return o, err
		},
	}
	for _, p := range []lab.Published{
		{Value: 13.701908, Setting: setting(1)}, {Value: 8.913817, Setting: setting(2)},
		{Value: 4.648170, Setting: setting(4)}, {Value: 2.272842, Setting: setting(8)},
		{Value: 1.227975, Setting: setting(16)}, {Value: 1.189217, Setting: setting(0), Text: "128 goroutines"},
	} {
		v.Settings, v.Published = append(v.Settings, p.Setting), append(v.Published, p)
	}
	return v
}

const sines = 1_000_000

// wantSines has the sums by how many integers there are; a thousand are for tests.
var wantSines = map[int]string{sines: "-12.910", 1000: "-0.013"}

func addSines(numbers []int) (sum float64) {
	for _, n := range numbers {
		sum += math.Sin(float64(n))
	}
	return sum
}
