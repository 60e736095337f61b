package shape

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestFacts compares the facts about all types and functions of the packages below testdata with the
// comments beside them: a type without one is no wrapper, and a function without one makes none.
func TestFacts(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), Analyzer, "response", "conn", "reader", "generic", "makes", "across", "chosen")
}
