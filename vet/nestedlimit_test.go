package vet_test

import (
	"testing"

	"github.com/thresh-dev/thresh/vet"
)

func TestNestedLimit(t *testing.T) { checkRule(t, vet.NestedLimit, "a") }

func TestNestedLimitFixes(t *testing.T) { checkFixes(t, vet.NestedLimit) }
