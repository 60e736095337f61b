package source

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// CachedBytes returns how many bytes of r are in the page cache. It uses cachestat(2). If the
// kernel lacks that (before 6.5), it maps the range and uses mincore(2).
func (f *File) CachedBytes(r Range) (int64, error) {
	if r.Len() <= 0 {
		return 0, nil
	}
	if f.f == nil {
		return f.cachedNoFile(r)
	}
	// A length of 0 would mean "to the end of the file", so r must not be empty here.
	var stat unix.Cachestat_t
	span := unix.CachestatRange{Off: uint64(r.Off), Len: uint64(r.Len())}
	err := unix.Cachestat(uint(f.FD()), &span, &stat, 0)
	if err == nil {
		return min(int64(stat.Cache)*int64(os.Getpagesize()), r.Len()), nil
	}
	pages, mincoreErr := f.resident(r)
	if mincoreErr != nil {
		return 0, fmt.Errorf("page cache of %s: cachestat: %w, mincore: %w", f.Name, err, mincoreErr)
	}
	var cached int64
	for _, p := range pages {
		cached += int64(p&1) * int64(os.Getpagesize())
	}
	return min(cached, r.Len()), nil
}

// resident returns one byte for each page that r touches. Its lowest bit is set if the page is in
// the page cache.
func (f *File) resident(r Range) ([]byte, error) {
	page := int64(os.Getpagesize())
	off := r.Off / page * page
	m, err := unix.Mmap(f.FD(), off, int(r.End-off), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	pages := make([]byte, (r.End-off+page-1)/page)
	err = mincore(m, pages)
	if e := unix.Munmap(m); err == nil {
		err = e
	}
	return pages, err
}

// Uncached returns the ranges of r, in whole pages, that are not in the page cache.
func (f *File) Uncached(r Range) ([]Range, error) {
	if r.Len() <= 0 {
		return nil, nil
	}
	if f.f == nil {
		return nil, nil // reading brings nothing into the page cache that we could drop
	}
	page := int64(os.Getpagesize())
	base := r.Off / page * page
	// Query whole pages: the cached pages would otherwise count as more bytes than r has of them.
	whole := Range{base, (r.End + page - 1) / page * page}
	cached, err := f.CachedBytes(whole)
	switch {
	case err != nil:
		return nil, err
	case cached == 0:
		return []Range{r}, nil
	case cached >= whole.Len():
		return nil, nil
	}
	pages, err := f.resident(r)
	if err != nil {
		return nil, fmt.Errorf("page cache of %s at %d: mincore: %w", f.Name, r.Off, err)
	}
	var out []Range
	for i, p := range pages {
		if p&1 != 0 {
			continue
		}
		off := base + int64(i)*page
		if n := len(out); n > 0 && out[n-1].End == off {
			out[n-1].End += page
		} else {
			out = append(out, Range{off, off + page})
		}
	}
	return out, nil
}

// Drop asks the kernel to remove r from the page cache. Pages that are dirty, or mapped by any
// process, stay.
func (f *File) Drop(r Range) error {
	if r.Len() <= 0 {
		return nil
	}
	if err := unix.Fadvise(f.FD(), r.Off, r.Len(), unix.FADV_DONTNEED); err != nil {
		return fmt.Errorf("drop %s at %d from the page cache: %w", f.Name, r.Off, err)
	}
	return nil
}

// mincore sets one byte for each page of a mapping. x/sys has the number of the call, but no
// function for it.
func mincore(m, pages []byte) error {
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&m[0])),
		uintptr(len(m)), uintptr(unsafe.Pointer(&pages[0])))
	if errno != 0 {
		return errno
	}
	return nil
}
