package vet_test

import (
	"testing"

	"github.com/thresh-dev/thresh/vet"
)

func TestStalledStdout(t *testing.T) { checkRule(t, vet.StalledStdout) }
