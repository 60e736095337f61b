// Package rounds says how many cases a test tries that could try any number.
//
// The seeds of these tests are fixed, so a run with fewer cases tries the first of those that a run
// with more of them tries. An ordinary run has half of the cases that a test names, so many that each path is taken
// many times; make fuzz has several times as many as the test names. With -short, tests have a tenth: make check runs
// them so, and their packages are run again for another compiler, build or processor.
package rounds

import (
	"os"
	"strconv"
	"testing"
)

// variable is an environment variable: how many times as many cases are tried as in an ordinary run.
const variable = "THRESH_ROUNDS"

const (
	// Of the cases that a test names, an ordinary run tries one in ordinaryPart, and with -short one in shortPart.
	ordinaryPart = 2
	shortPart    = 10
	// factorMost keeps a test's number of cases far below that at which an int overflows.
	factorMost = 1 << 20
)

// Of returns how many cases to try where a test names so many.
func Of(named int) int {
	if testing.Short() {
		return (named + shortPart - 1) / shortPart
	}
	return (named*factor() + ordinaryPart - 1) / ordinaryPart
}

// Every returns the distance between the cases to try, where a test names that for an ordinary run: with 1, all are
// tried. With -short it is an odd multiple, which still visits the lanes of a vector in turn.
func Every(named int) int {
	if testing.Short() {
		return named * (shortPart - 1)
	}
	return max(named/factor(), 1)
}

// Many reports whether more cases are tried than in an ordinary run, and so also what takes long, or downloads.
func Many() bool { return factor() > 1 }

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
