// Package concurrency reruns the experiments with goroutines and threads in the posts of March 2025 on
// Daniel Lemire's weblog: when it pays to divide work among goroutines, what channels, wait groups,
// atomics and mutexes do, what goes wrong without them, and how many threads open files fastest. The
// ideas are the posts', the code is ours. The posts' programs print what they do; ours do not.
package concurrency

import (
	"context"
	"runtime"
	"strconv"

	"github.com/thresh-dev/thresh/lab"
)

// Experiment returns the experiment "go".
func Experiment() *lab.Experiment {
	return &lab.Experiment{
		Name: "go",
		Article: lab.Article{
			Title:  "Posts on goroutines and on opening files, March 2025",
			Author: "Daniel Lemire", URL: "https://lemire.me/blog/",
			Machine: "128 processors, not named, for sums and sines; 64 x64 cores, Linux, for files",
		},
		Method: lab.Method{Runs: 5, Trim: 1,
			Text: "5 runs, the mean of the middle three; short work is repeated for 0.1 s, and files are opened ten times " +
				"in a run, whose time is the median, as in the post"},
		Metric: lab.Metric{Unit: "ms", Of: milliseconds},
		Variants: []lab.Variant{
			sum(), sumGoroutines(), sine(), fetch(), fetchAtOnce(), relay(), waitGroup(), waitGroupChannel(),
			race(), raceAtomic(), bank(), bankDeadlock(), bankOrdered(), open(), openPool(), openBatches(),
		},
		Claims: []lab.Claim{goroutinesClaim(), scalingClaim(), openClaim(), raceClaim()},
	}
}

// milliseconds returns the time for doing the work once. Items is how often it was done.
func milliseconds(o lab.Outcome) float64 { return o.Seconds * 1e3 / float64(o.Items) }

// repeated repeats short work.
func repeated(ctx context.Context, once func()) (lab.Outcome, error) {
	seconds, times, err := lab.Repeat(ctx, once)
	return lab.Outcome{Seconds: seconds, Items: times}, err
}

// workers returns how many goroutines a setting asks for: as many as there are processors, unless it
// says something else.
func workers(s lab.Setting) int {
	if s.Workers > 0 {
		return s.Workers
	}
	return runtime.NumCPU()
}

// always returns a Want.
func always(answer string) func(lab.Setting) string {
	return func(lab.Setting) string { return answer }
}

// counted returns a Want of a number that a setting varies, and a word.
func counted(what string) func(lab.Setting) string {
	return func(s lab.Setting) string { return strconv.Itoa(s.N) + " " + what }
}
