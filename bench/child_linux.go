package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/kernel/nonzero"
	"github.com/thresh-dev/thresh/internal/source"
	"github.com/thresh-dev/thresh/lab/needle"
)

// childCommand makes this program do one piece of work as a process of its own, so that
// what has no program of its own pays for its start like the others.
const childCommand = "child"

// child runs one of
//
//	needle VARIANT FILE WORKERS   prints the offset of the first word that is not zero
//	read FILE                     reads all of the file through the page cache
//	memory BYTES WORKERS          scans memory of its own, prints bytes and seconds
func child(args []string, stdout io.Writer) error {
	switch {
	case len(args) == 4 && args[0] == "needle":
		workers, err := strconv.Atoi(args[3])
		if err != nil {
			return err
		}
		return childNeedle(stdout, args[1], args[2], workers)
	case len(args) == 2 && args[0] == "read":
		return childRead(stdout, args[1])
	case len(args) == 3 && args[0] == "memory":
		bytes, err := strconv.ParseInt(args[1], 10, 64)
		workers, werr := strconv.Atoi(args[2])
		if err := errors.Join(err, werr); err != nil {
			return err
		}
		return childMemory(stdout, bytes, workers)
	}
	return fmt.Errorf("unknown work %q", args)
}

func childNeedle(stdout io.Writer, id, path string, workers int) error {
	v, err := variant(id)
	if err != nil {
		return err
	}
	at, err := v.Search(path, workers)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, at)
	return err
}

// variant returns the published search of that name, or why it cannot run.
func variant(id string) (needle.Variant, error) {
	for _, v := range needle.Variants() {
		switch {
		case v.ID == id && v.Unavailable != "":
			return v, fmt.Errorf("needle/%s: %s", id, v.Unavailable)
		case v.ID == id:
			return v, nil
		}
	}
	return needle.Variant{}, fmt.Errorf("no variant %q", id)
}

func childRead(stdout io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := readRange(f, source.Range{Off: 0, End: info.Size()}); err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, info.Size())
	return err
}

// childMemory scans anonymous memory in huge pages by the kernel that thresh uses, with
// the memory divided among the workers. The first pass warms up; the second is timed.
func childMemory(stdout io.Writer, bytes int64, workers int) error {
	m, err := unix.Mmap(-1, 0, int(bytes),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("mmap of %d bytes: %w", bytes, err)
	}
	if err := unix.Madvise(m, unix.MADV_HUGEPAGE); err != nil {
		return fmt.Errorf("huge pages: %w", err)
	}
	for i := 0; i < len(m); i += os.Getpagesize() {
		m[i] = 1 // a page that was only read would be the one page of zeros that all share
		m[i] = 0
	}
	var seconds float64
	for range 2 {
		begin := time.Now()
		if at := scanMemory(m, workers); at >= 0 {
			return fmt.Errorf("byte %d of fresh memory is not zero", at)
		}
		seconds = time.Since(begin).Seconds()
	}
	if _, err := fmt.Fprintln(stdout, bytes, seconds); err != nil {
		return err
	}
	return unix.Munmap(m)
}

// scanMemory returns the index of a byte that is not zero, -1 when there is none.
func scanMemory(m []byte, workers int) int {
	index := nonzero.Best().Func
	found := make([]int, workers)
	var wg sync.WaitGroup
	for w := range workers {
		begin := len(m) / workers * w
		end := begin + len(m)/workers
		if w == workers-1 {
			end = len(m)
		}
		wg.Go(func() {
			if found[w] = index(m[begin:end]); found[w] >= 0 {
				found[w] += begin
			}
		})
	}
	wg.Wait()
	for _, at := range found {
		if at >= 0 {
			return at
		}
	}
	return -1
}

// parseMemory returns the rate that childMemory printed, in bytes a second.
func parseMemory(stdout string) (float64, error) {
	bytes, seconds, ok := strings.Cut(strings.TrimSpace(stdout), " ")
	n, err := strconv.ParseInt(bytes, 10, 64)
	s, serr := strconv.ParseFloat(seconds, 64)
	if err := errors.Join(err, serr); err != nil || !ok || s <= 0 {
		return 0, fmt.Errorf("scan of memory says %q: %w", stdout, err)
	}
	return float64(n) / s, nil
}
