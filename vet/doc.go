// Package vet has go/analysis analyzers that find Go code which silently leaves the zero-copy path: code
// in which a file or a connection, on its way to another, loses sendfile, splice or copy_file_range, and
// is copied through the memory of the process instead.
//
// Each rule is an analyzer of its own. Rules says what each one costs and how sure it is; All returns all
// analyzers, for a multichecker, go vet -vettool or golangci-lint. The command thresh-vet runs them.
//
// A rule says nothing about code that it can't be sure of. A comment silences one at its line, or at the
// line below, if it gives a reason; one that silences nothing is a finding itself:
//
//	//thresh:ignore RULE reason
package vet
