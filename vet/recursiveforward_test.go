package vet

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestRecursiveForward(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), RecursiveForward, "recursiveforward")
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), RecursiveForward, "recursiveforward/fixed")
}
