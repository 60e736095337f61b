package limits

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	smallPage = 4 << 10
	hugePage  = 2 << 20
)

// alloc returns zeroed memory outside the Go heap that begins at a huge page and asks for huge
// pages, and the function that frees it.
func alloc(n int) (b []byte, free func(), err error) {
	all, err := unix.Mmap(-1, 0, n+hugePage, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, fmt.Errorf("allocate %d bytes: %w", n, err)
	}
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(all)))) & (hugePage - 1)
	b = all[skip : skip+n : skip+n]
	// A kernel without huge pages uses small ones, as it does for its users.
	_ = unix.Madvise(all, unix.MADV_HUGEPAGE)
	return b, func() { unmap(all) }, nil
}

// unmap frees what Mmap returned. It can only fail if b was not mapped.
func unmap(b []byte) {
	if err := unix.Munmap(b); err != nil {
		panic("thresh: bug: munmap: " + err.Error())
	}
}

// readBack drops the file from the page cache and reads it in order. The size of the pages in the
// cache, and with it the cost of mapping them, depends on how they got there, and this is how the
// kernel reads the files of users ahead. A file system in memory drops nothing and keeps its pages
// as they are.
func (t *temporary) readBack(ctx context.Context) error {
	if err := t.f.Sync(); err != nil { // only clean pages can be dropped
		return err
	}
	if err := drop(target{f: t.f, bytes: t.bytes}); err != nil {
		return err
	}
	block := make([]byte, min(1<<20, t.bytes))
	for off := 0; off < t.bytes; off += len(block) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := t.f.ReadAt(block[:min(len(block), t.bytes-off)], int64(off)); err != nil {
			return err
		}
	}
	return nil
}

// mapped calls do with a fresh mapping of the temporary file, and unmaps it.
func (t *temporary) mapped(do func(b []byte) (float64, error)) (float64, error) {
	b, err := unix.Mmap(int(t.f.Fd()), 0, t.bytes, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return 0, fmt.Errorf("map a temporary file: %w", err)
	}
	defer unmap(b)
	return do(b)
}

// mappings measures the ways to read the page cache through a mapping. Each sample uses a mapping
// of its own, because a program that reads a file once pays for its faults.
func (r *run) mappings(t *temporary) error {
	err := r.oneAndAll(&r.c.MappedOne, &r.c.MappedAll, func(workers int) (float64, error) {
		return t.mapped(func(b []byte) (float64, error) {
			return r.sweep(workers, len(b), hugePage, func(_, off, n int) error {
				scan(b[off : off+n])
				return nil
			})
		})
	})
	if err != nil {
		return err
	}
	err = r.figure(&r.c.Populate, func() (float64, error) {
		return t.mapped(func(b []byte) (float64, error) {
			start := time.Now()
			err := unix.Madvise(b, unix.MADV_POPULATE_READ)
			return float64(len(b)) / float64(time.Since(start).Nanoseconds()), err
		})
	})
	if err != nil {
		return err
	}
	return r.faults(t)
}

// faults measures the cost of a fault, with small pages and with huge ones. The pages are touched
// twice: the second time costs the same except for the faults.
func (r *run) faults(t *temporary) error {
	err := r.figure(&r.c.FaultSmall, func() (float64, error) {
		return t.mapped(func(b []byte) (float64, error) {
			b = b[:min(len(b), 64<<20)]
			if err := unix.Madvise(b, unix.MADV_NOHUGEPAGE); err != nil &&
				!errors.Is(err, unix.EINVAL) { // EINVAL: no huge pages in this kernel
				return 0, fmt.Errorf("disable huge pages: %w", err)
			}
			faults, ns, err := faultCost(b, smallPage)
			if err != nil {
				return 0, err
			}
			r.c.FaultSmallBytes = float64(len(b)) / float64(faults)
			return ns, nil
		})
	})
	if err != nil {
		return err
	}
	return r.figure(&r.c.FaultHuge, func() (float64, error) {
		return t.mapped(func(b []byte) (float64, error) {
			if len(b) < hugePage {
				return 0, errors.New("the temporary file is smaller than a huge page")
			}
			faults, ns, err := faultCost(b, hugePage)
			if err != nil {
				return 0, err
			}
			// Touching the first byte of each huge page faults once per page in either case.
			// Touching its last byte faults again only if the page was not mapped as a whole.
			again, err := countFaults(b[hugePage-smallPage:], hugePage)
			if err != nil {
				return 0, err
			}
			if 4*again > faults {
				return 0, errors.New("the kernel maps this file system's files with small pages")
			}
			return ns, nil
		})
	})
}

// faultCost touches a fresh mapping and returns the number of faults and the nanoseconds per fault.
func faultCost(b []byte, stride int) (faults int64, ns float64, err error) {
	start := time.Now()
	faults, err = countFaults(b, stride)
	first := time.Since(start)
	if err != nil {
		return 0, 0, err
	}
	start = time.Now()
	again, err := countFaults(b, stride)
	if err != nil {
		return 0, 0, err
	}
	if faults -= again; faults <= 0 {
		return 0, 0, errors.New("touching the mapping caused no faults")
	}
	return faults, max(0, perOp(first-time.Since(start), int(faults))), nil
}

// countFaults touches b and returns how many faults that caused.
func countFaults(b []byte, stride int) (int64, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &before); err != nil {
		return 0, fmt.Errorf("count faults: %w", err)
	}
	runtime.KeepAlive(touch(b, stride)) // otherwise the compiler may omit the loads
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &after); err != nil {
		return 0, fmt.Errorf("count faults: %w", err)
	}
	return after.Minflt - before.Minflt, nil
}

// syscalls measures the cheapest call that enters the kernel. It enters like a blocking call, which
// notifies the Go scheduler.
func (r *run) syscalls() error {
	return r.figure(&r.c.Syscall, func() (float64, error) {
		start := time.Now()
		for range r.sizes.rounds {
			if _, _, errno := unix.Syscall(unix.SYS_GETPPID, 0, 0, 0); errno != 0 {
				return 0, os.NewSyscallError("getppid", errno)
			}
		}
		return perOp(time.Since(start), r.sizes.rounds), nil
	})
}
