package matrix

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shrunk are the sizes to which the thresholds are set; 0 keeps the real ones.
var shrunk = []int{0, 2, 3, 7, 64}

// cases runs a test for n successive seeds, or a part of that in short runs, or as THRESH_CASES
// says. The cases are divided among the real thresholds and the shrunk ones. The test function returns
// an error for a failed case.
func cases(t *testing.T, n int, test func(t *testing.T, r *rand.Rand) error) {
	t.Helper()
	casesOf(t, n, shrunk, test)
}

// casesOf is cases with other sizes for the thresholds.
func casesOf(t *testing.T, n int, shrunk []int, test func(t *testing.T, r *rand.Rand) error) {
	t.Helper()
	n = rounds.Of(n)
	limit, seed := time.Duration(0), uint64(1)
	if s := os.Getenv("THRESH_CASES"); s != "" {
		number, err := strconv.Atoi(s)
		if n = number; err != nil {
			if limit, err = time.ParseDuration(s); err != nil {
				t.Fatalf("THRESH_CASES=%s is neither a number nor a duration", s)
			}
			seed = uint64(time.Now().UnixNano())
		}
	}
	if s := os.Getenv("THRESH_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("THRESH_SEED=%s is not a number", s)
		}
	}
	parts := runtime.GOMAXPROCS(0)
	for _, size := range shrunk {
		name := "real"
		if size > 0 {
			name = fmt.Sprint("shrunk to ", size)
		}
		t.Run(name, func(t *testing.T) {
			if size > 0 {
				threshold.Shrink(t, size)
			}
			until := time.Now().Add(limit / time.Duration(len(shrunk)))
			each := (n + len(shrunk) - 1) / len(shrunk)
			// Cases of one size run side by side; the sizes are for all of the process.
			for part := range parts {
				whole := t.Name()
				t.Run("", func(t *testing.T) {
					t.Parallel()
					done, failed := 0, 0
					for i := part; failed < failuresMax && (limit == 0 && i < each || limit > 0 && time.Now().Before(until)); i += parts {
						s := seed + uint64(i)
						if err := test(t, rand.New(rand.NewPCG(s, uint64(size)))); err != nil {
							failed++
							t.Errorf("%v\nto repeat: THRESH_CASES=1 THRESH_SEED=%d go test ./internal/test/matrix -run '^%s$'", err, s, whole)
						}
						done++
					}
					t.Logf("%d cases from seed %d", done, seed)
				})
			}
		})
	}
}

// failuresMax is the number of failed cases after which a test ends.
const failuresMax = 10

// sizes returns lengths up to a bound at which code may take another path: the current thresholds,
// the piece sizes of a case, and some common lengths.
func sizes(most int, more ...int) (all []int) {
	all = append(more, 1, 2, 16, 64, 4096)
	for _, s := range threshold.All() {
		all = append(all, s.Get())
	}
	all = slices.DeleteFunc(all, func(n int) bool { return n > most || n < 1 })
	slices.Sort(all)
	return slices.Compact(all)
}

// pick returns a random one of several values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// chance is true once in n times.
func chance(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

// near returns a size, one less or one more.
func near(r *rand.Rand, sizes []int) int { return max(0, pick(r, sizes...)+r.IntN(3)-1) }
