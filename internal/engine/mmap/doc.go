// Package mmap reads files through one shared mapping. It copies nothing, and cached pages cost at
// most one fault per huge page.
//
// A byte of a mapping can become unreadable during a visit, because the file was truncated or the
// disk failed. The system sends SIGBUS, the runtime turns it into a panic, and the reader recovers,
// reports the range as unread and goes on behind it. The comment of engine.Visit describes what
// this means for a visitor. A system call on such bytes returns EFAULT instead, and the visitor
// must handle that itself.
//
// One case cannot be detected: if a file shrinks during a visit, the bytes between its new end and
// the end of that page read as zeros.
//
// Cached bytes are faulted in by the visit: one call for each piece (BenchmarkPopulate) gains nothing
// where the page cache has large folios and loses with small ones. Uncached bytes are faulted in ahead
// of the visit if Config.Depth says so; see runAhead.
package mmap
