package vet_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/thresh-dev/thresh/vet"
)

func TestMissingLength(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), vet.MissingLength, "missinglength/a", "missinglength/sized")
}
