// Package ring is an io_uring for reads, without a library: what of the kernel's interface
// one thread needs that reads one file and keeps many reads in flight. Linux only.
package ring
