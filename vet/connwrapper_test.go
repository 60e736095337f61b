package vet_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/thresh-dev/thresh/vet"
)

func TestConnWrapper(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), vet.ConnWrapper, "connwrapper", "connlib")
}

// TestConnWrapperAccepted has listeners.
func TestConnWrapperAccepted(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), vet.ConnWrapper, "connaccept")
}

// TestConnWrapperSecret has wrappers that may hold a TLS connection, and packages that encrypt.
func TestConnWrapperSecret(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), vet.ConnWrapper, "connsecret/tls", "connsecret/frames", "connsecret/both")
}
