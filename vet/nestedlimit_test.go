package vet_test

import (
	"testing"

	"github.com/thresh-dev/thresh/vet"
)

func TestNestedLimit(t *testing.T) { checkRule(t, vet.NestedLimit) }
