// Package rounds says how many cases a test tries that could try any number.
//
// The seeds of these tests are fixed, so a run with fewer cases tries the first of those that a run
// with more of them tries. An ordinary run has so many that each path is taken many times; make fuzz
// has more. With -short, tests have fewer: their packages are then run again for another compiler,
// build or processor.
package rounds

import (
	"os"
	"strconv"
	"testing"
)

// variable is an environment variable: how many times as many cases are tried as usual.
const variable = "THRESH_ROUNDS"

const (
	// shortPart is the part of the usual cases that tests have with -short.
	shortPart = 5
	// factorMost keeps a test's number of cases far below that at which an int overflows.
	factorMost = 1 << 20
)

// Of returns how many cases to try where usual is the number for an ordinary run.
func Of(usual int) int {
	if testing.Short() {
		return (usual + shortPart - 1) / shortPart
	}
	return usual * factor()
}

// Every returns the distance between the cases to try, where usual is that for an ordinary run: with
// 1, all are tried.
func Every(usual int) int {
	if testing.Short() {
		return usual * shortPart
	}
	return max(usual/factor(), 1)
}

// factor returns the value of the variable, which must be a number if it is set.
func factor() int {
	text := os.Getenv(variable)
	if text == "" {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > factorMost {
		panic("thresh: bug: " + variable + " is " + strconv.Quote(text) + ", not a number from 1 on")
	}
	return n
}
