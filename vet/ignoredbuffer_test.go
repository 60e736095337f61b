package vet_test

import (
	"testing"

	"github.com/thresh-dev/thresh/vet"
)

func TestIgnoredBuffer(t *testing.T) { checkRule(t, vet.IgnoredBuffer) }
