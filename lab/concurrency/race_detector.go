//go:build race

package concurrency

import "github.com/thresh-dev/thresh/lab"

// race stands for the variant in race.go.
func race() lab.Variant {
	v := raceVariant("go/race", "move ones in an array by two goroutines, without synchronisation", nil)
	v.Missing = func() string { return "a build without the race detector" }
	return v
}
