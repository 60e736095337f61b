package vet_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/thresh-dev/thresh/vet"
)

// What is only possible is reported, too.
func init() {
	if err := vet.ResponseWrapper.Flags.Set(vet.PossibleFlag, "true"); err != nil {
		panic(err)
	}
}

func TestResponseWrapper(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), vet.ResponseWrapper, "responsewrapper", "responselib")
}

// TestResponseWrapperOwn has wrappers that handlers get: they are reported where these may be anybody's, or where
// the package serves files itself.
func TestResponseWrapperOwn(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), vet.ResponseWrapper, "responseown/exported", "responseown/internal/framework",
		"responseown/program", "responseown/serves", "responseown/tested")
}
