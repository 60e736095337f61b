// Package direct reads files and block devices past the page cache, with O_DIRECT and ordinary
// system calls: what it visits came from the device, and the page cache stays as it was.
//
// It is for questions about the medium itself. It needs no io_uring, so it works in containers that
// forbid that, and it names unreadable ranges by sectors, where the other engines name pages. A worker
// has one read in flight; a device is kept busy by several workers.
package direct
