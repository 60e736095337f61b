package vet_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/thresh-dev/thresh/vet"
)

func TestHiddenFile(t *testing.T) {
	checkRule(t, vet.HiddenFile)
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), vet.HiddenFile, "hiddenfile/reader", "readerlib")
}
