package versus

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/nonzero"
	"github.com/thresh-dev/thresh/lab/donations"
	"github.com/thresh-dev/thresh/lab/needle"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
	"github.com/thresh-dev/thresh/lab/tens"
)

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

func childTens(stdout io.Writer, id, path string, workers int) error {
	for _, v := range tens.Variants() {
		if v.ID != id {
			continue
		}
		if v.Unavailable != "" {
			return fmt.Errorf("tens/%s: %s", id, v.Unavailable)
		}
		n, err := v.Count(path, workers)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(stdout, n)
		return err
	}
	return fmt.Errorf("no variant %q", id)
}

// childDonations prints the answer in the format of the peers' scripts.
func childDonations(stdout io.Writer, id, path string) error {
	for _, r := range donations.Revisions() {
		if r.ID != id {
			continue
		}
		begin := time.Now()
		a, err := r.Answer(path)
		if err != nil {
			return err
		}
		answer, err := json.Marshal(a)
		if err != nil {
			return err
		}
		return json.NewEncoder(stdout).Encode(peer.Timed{Seconds: time.Since(begin).Seconds(), Answer: answer})
	}
	return fmt.Errorf("no revision %q", id)
}

// variant returns the published search with that ID. The error says why it cannot run.
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
	if err := pagecache.ReadRange(f, source.Range{Off: 0, End: info.Size()}); err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, info.Size())
	return err
}

// childMemory scans anonymous memory in huge pages with one of thresh's kernels. The memory is
// divided among the workers. The first pass is the warm-up, the second is timed.
func childMemory(stdout io.Writer, bytes int64, workers int, scan func(part []byte) error) error {
	m, err := unix.Mmap(-1, 0, int(bytes),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("mmap of %d bytes: %w", bytes, err)
	}
	if err := unix.Madvise(m, unix.MADV_HUGEPAGE); err != nil {
		return fmt.Errorf("huge pages: %w", err)
	}
	for i := 0; i < len(m); i += os.Getpagesize() {
		m[i] = 1 // a page that is only read would be the shared zero page
		m[i] = 0
	}
	var seconds float64
	for range 2 {
		begin := time.Now()
		if err := divided(m, workers, scan); err != nil {
			return err
		}
		seconds = time.Since(begin).Seconds()
	}
	if _, err := fmt.Fprintln(stdout, bytes, seconds); err != nil {
		return err
	}
	return unix.Munmap(m)
}

// divided scans a part of the memory with each worker.
func divided(m []byte, workers int, scan func(part []byte) error) error {
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		part := m[len(m)/workers*w:]
		if w < workers-1 {
			part = part[:len(m)/workers]
		}
		wg.Go(func() { errs[w] = scan(part) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// scanMemory checks that all bytes are zero.
func scanMemory(part []byte) error {
	if at := nonzero.Best().Index(part); at >= 0 {
		return fmt.Errorf("byte %d of fresh memory is not zero", at)
	}
	return nil
}

// tensInMemory checks that no int32 is 10.
func tensInMemory(part []byte) error {
	t, err := compare.ParseType("i32")
	if err != nil {
		return err
	}
	p, err := compare.Compile(t, []compare.Condition{{Op: compare.Equal, Value: "10"}})
	if err != nil {
		return err
	}
	if n := p.Count(part); n > 0 {
		return fmt.Errorf("%d numbers of fresh memory are 10", n)
	}
	return nil
}

// parseMemory returns the rate that childMemory printed, in bytes per second.
func parseMemory(stdout string) (float64, error) {
	bytes, seconds, ok := strings.Cut(strings.TrimSpace(stdout), " ")
	n, err := strconv.ParseInt(bytes, 10, 64)
	s, serr := strconv.ParseFloat(seconds, 64)
	if err := errors.Join(err, serr); err != nil || !ok || s <= 0 {
		return 0, fmt.Errorf("output of the memory scan: %q: %w", stdout, err)
	}
	return float64(n) / s, nil
}
