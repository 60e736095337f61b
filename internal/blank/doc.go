// Package blank answers whether an input is blank: whether every byte of it is what a pattern says.
//
//	open an input, and say how it will be read                input.go, identity.go
//	read all of it by several workers, past the page cache    check.go, stream.go
//	compare; list sectors that differ, bounded                pattern.go, ranges.go, summary.go
//	keep what is done, so that a run can be resumed           journal.go
//
// Package certificate below it makes the document that says so.
package blank
