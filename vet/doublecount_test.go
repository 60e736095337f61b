package vet

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestDoubleCount(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), DoubleCount, "doublecount")
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), DoubleCount, "doublecount/fixed")
}
