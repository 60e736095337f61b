// Package cluster answers thresh's questions on many machines, as pipelines of Apache Beam.
//
//	inputs ────> cells ──> ranges of cells ──reshuffle──> scan ──> partial results ──combine──> answer
//	source.go    plan.go: the grid of every input          scan.go  partial.go: the     pipeline.go  executor.go
//	                                                                library's own, exact
//
// A job may answer several questions: ranges and results carry the number of theirs.
//
// A cell is a fixed range of an input. What begins in a cell belongs to it, and may end behind it, as with the
// pieces of a scan on one machine: see run/part.go of the library. So partial results of cells add up to the
// same answer, wherever and in whatever order the cells are scanned.
//
// An element of the pipeline is a range of cells, and its restriction counts cells, not bytes. To claim a cell
// is to claim it up to its last byte, and a runner may split a range at any number without cutting a cell.
//
// Workers talk to the driver over HTTP, beside the pipeline (caller.go, channel.go, mailbox.go): about progress,
// about hits that make later cells superfluous, and to hand in lines, hits and the answer. What they hand in has
// the number of its cell, and so a bundle that is tried again replaces what it handed in before.
package cluster
