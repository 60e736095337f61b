// Package threshold keeps a table of the sizes at which code takes a different path: a buffer is
// full, a list becomes a table, a table is written to disk, a line is too long to hold.
//
// Random tests stay below these sizes, so they never take the other path and never see its bugs.
// With this table a test can shrink all sizes and ask the same questions again. A size that only
// bounds memory or time, without a second path behind it, needs no row. Neither does a size that
// a kernel's own tests cross at every length.
//
// The sizes belong to the process, not to a run: code of all stages reads them, from kernels to output, and only tests
// set them, so that handing them down would give every constructor a parameter that nobody else uses. Cases with the
// same sizes run side by side all the same, see Shrink; those with others take turns.
package threshold

import (
	"fmt"
	"slices"
	"strings"
)

// Size is one row of the table. Get may be called concurrently; Set may not be called while
// anything else uses the size.
type Size struct {
	name              string
	real, least, step int
	now               int
}

// table has room for all rows: a list that grows before main is copied, and allocated, several times over.
var table = make([]*Size, 0, 224)

// New adds a row. It is called once for each variable, when the program starts. The name gives
// the package and the meaning, as in "find: context behind a block". The code must be correct for
// every value from least on, but need not be fast.
func New(name string, real, least int) *Size {
	return NewMultiple(name, real, least, 1)
}

// NewMultiple is New for a size that must be a multiple of step, as least and real are.
func NewMultiple(name string, real, least, step int) *Size {
	if least < 1 || real < least || least%step != 0 || real%step != 0 {
		panic(fmt.Sprintf("thresh: bug: threshold %q: real %d, least %d, step %d", name, real, least, step))
	}
	s := &Size{name: name, real: real, least: least, step: step, now: real}
	table = append(table, s)
	return s
}

// All returns the rows of all packages that are linked in, sorted by name.
func All() []*Size {
	return slices.SortedFunc(slices.Values(table), func(a, b *Size) int { return strings.Compare(a.name, b.name) })
}

// Name returns the name under which the size was added.
func (s *Size) Name() string { return s.name }

// Get returns the current size.
func (s *Size) Get() int { return s.now }

// Real returns the size outside tests.
func (s *Size) Real() int { return s.real }

// Set changes the size for a test. It rounds n up to the next value that the code allows: at
// least the least one, and a multiple of the step.
func (s *Size) Set(n int) {
	n = max(n, s.least)
	s.now = (n + s.step - 1) / s.step * s.step
}

// test is the part of testing.TB that this package needs.
type test interface {
	Helper()
	Setenv(key, value string) // fails in parallel tests, which must not change sizes
	Cleanup(func())
}

// Shrink sets every size to n, or to the nearest value above n that the code allows, until the
// test ends. The test must not run in parallel with others; its subtests may, all of them with this size.
func Shrink(t test, n int) {
	t.Helper()
	t.Setenv("THRESH_TEST_SIZES", fmt.Sprint(n))
	t.Cleanup(func() {
		for _, s := range table {
			s.now = s.real
		}
	})
	for _, s := range table {
		s.Set(n)
	}
}
