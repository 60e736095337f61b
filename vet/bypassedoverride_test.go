package vet

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestBypassedOverride(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), BypassedOverride, "bypassedoverride", "bypassedoverride/across", "bypassedoverride/lib")
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), BypassedOverride, "bypassedoverride/fixed")
}
