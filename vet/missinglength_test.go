package vet_test

import (
	"testing"

	"github.com/thresh-dev/thresh/vet"
)

func TestMissingLength(t *testing.T) { checkRule(t, vet.MissingLength) }
