package vet_test

import (
	"fmt"

	"github.com/thresh-dev/thresh/vet"
)

// The rules that are errors. All returns the analyzers, for singlechecker or multichecker of package analysis.
func Example() {
	for _, rule := range vet.Rules() {
		if rule.Severity == vet.Error {
			fmt.Println(rule.Analyzer.Name)
		}
	}
	// Output:
	// bypassedoverride
	// doublecount
}
