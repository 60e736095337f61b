package concurrency

import (
	"context"
	"strconv"

	"github.com/thresh-dev/thresh/lab"
)

// The numbers that the post sums: a few, and many.
const (
	fewNumbers  = 100_000
	manyNumbers = 10_000_000
)

// sum is the post's loop that adds integers in one goroutine: 50,516 ns for 100,000 of them and
// 5,030,224 ns for 10 million, with Go's benchmark on a machine with 128 processors.
func sum() lab.Variant {
	return lab.Variant{
		ID: "go/sum", What: "add integers in one goroutine", Want: wantSum,
		Settings: []lab.Setting{{N: fewNumbers}, {N: manyNumbers}},
		Published: []lab.Published{
			{Value: 0.050516, Setting: lab.Setting{N: fewNumbers}},
			{Value: 5.030224, Setting: lab.Setting{N: manyNumbers}},
		},
		Run: summing(func(numbers []int, _ int) int { return add(numbers) }),
	}
}

func wantSum(s lab.Setting) string { return strconv.Itoa(s.N * (s.N - 1) / 2) }

// summing returns a Run that sums the integers from 0 to N-1.
func summing(by func(numbers []int, goroutines int) int) func(context.Context, lab.Task) (lab.Outcome, error) {
	return func(ctx context.Context, t lab.Task) (lab.Outcome, error) {
		numbers := make([]int, t.Setting.N)
		for i := range numbers {
			numbers[i] = i
		}
		total := 0
		o, err := repeated(ctx, func() { total = by(numbers, workers(t.Setting)) })
		o.Bytes, o.Answer = o.Items*int64(len(numbers))*intBytes, strconv.Itoa(total)
		return o, err
	}
}

const intBytes = strconv.IntSize / 8

func add(numbers []int) (sum int) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

// publishedProcessors is how many processors, and so goroutines, the post's machine has.
const publishedProcessors = 128

// sumGoroutines is the post's second sum: one goroutine a processor, which sends the sum of its part
// through a buffered channel. It takes five times as long for 100,000 integers, 258,798 ns, and is 3.6
// times as fast for 10 million, 1,414,114 ns. A second setting has as many goroutines as the post had,
// whatever the machine.
func sumGoroutines() lab.Variant {
	const text = "128 goroutines"
	return lab.Variant{
		ID: "go/sum-goroutines", What: "add integers in one goroutine a processor, partial sums by a channel",
		Want: wantSum,
		Settings: []lab.Setting{
			{N: fewNumbers}, {N: fewNumbers, Workers: publishedProcessors},
			{N: manyNumbers}, {N: manyNumbers, Workers: publishedProcessors},
		},
		Published: []lab.Published{
			{Value: 0.258798, Setting: lab.Setting{N: fewNumbers}, Text: text},
			{Value: 1.414114, Setting: lab.Setting{N: manyNumbers}, Text: text},
		},
		Run: summing(addInGoroutines),
	}
}

func addInGoroutines(numbers []int, goroutines int) int { return divided(numbers, goroutines, add) }

// divided gives each goroutine a part of the numbers, and adds what they send.
func divided[T int | float64](numbers []int, goroutines int, of func([]int) T) (total T) {
	results := make(chan T, goroutines)
	each, started := (len(numbers)+goroutines-1)/goroutines, 0
	for len(numbers) > 0 {
		part := numbers[:min(each, len(numbers))]
		numbers = numbers[len(part):]
		go func() { results <- of(part) }()
		started++
	}
	for range started {
		total += <-results
	}
	close(results)
	return total
}
