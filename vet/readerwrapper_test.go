package vet_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/thresh-dev/thresh/vet"
)

func TestReaderWrapper(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), vet.ReaderWrapper, "readerwrapper", "readerlib")
}
