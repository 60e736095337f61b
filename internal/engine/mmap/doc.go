// Package mmap shows files through one shared mapping: nothing is copied, and warm pages
// cost a fault for each huge page or less.
//
// A byte of a mapping can turn out to be unreadable while it is looked at: the file was
// truncated, or the disk failed underneath. The system sends SIGBUS, the runtime makes a
// panic of it, and the reader recovers it, reports the range as unread and goes on behind
// it; engine.Visit says what that asks of a visitor. A system call that is given bytes of
// the mapping returns EFAULT instead, which is the visitor's to handle.
//
// One thing cannot be seen: of a file that shrinks during a visit, the last page that
// remains reads as zeros behind the new end.
//
// MADV_HUGEPAGE is not asked for: on a cold file it halved the faults and left the rate as
// it was, since readahead makes large folios by itself.
package mmap
