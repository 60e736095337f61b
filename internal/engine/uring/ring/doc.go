// Package ring is a minimal io_uring without a library. It covers the part of the kernel's
// interface that one thread needs to keep many reads of one file in flight. Linux only.
package ring
