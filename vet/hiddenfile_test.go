package vet_test

import (
	"testing"

	"github.com/thresh-dev/thresh/vet"
)

func TestHiddenFile(t *testing.T) { checkRule(t, vet.HiddenFile) }
