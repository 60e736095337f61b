package concurrency

import "github.com/thresh-dev/thresh/lab"

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
