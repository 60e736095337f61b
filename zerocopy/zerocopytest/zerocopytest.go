// Package zerocopytest fails a test whose transfer left the fast path: the bytes went
// through the memory of the process, though a system call could have passed them on.
//
//	zerocopytest.Fast(t, dst, src, func() (int64, error) { return io.Copy(dst, src) })
//
// There are two kinds of evidence. What this module's own calls report is exact: FastResult
// and FastCounter. What the kernel counts in /proc/self/io holds for any code, but for the
// whole process, and tells few large writes from many small ones: Fast.
package zerocopytest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/zerocopy"
)

const (
	// perWrite is what one call of the fast path moves at least, and a copy does not: the
	// buffers of io.Copy hold 32 KiB.
	fastWriteBytes = 256 << 10
	// bytesMin is the smallest transfer of which Fast can tell.
	bytesMin = 4 * fastWriteBytes
	// others is how many small writes are not held against a transfer: headers, the first
	// bytes of a body.
	otherWritesMax = 8
)

// Fast runs transfer, which returns how many bytes it moved, and fails t unless they went
// with few system calls that write: one for 256 KiB at most. dst and src are the ends, for
// the reason in the message; they may be nil. The transfer moves 1 MiB at least, and nothing
// else of the process may write much meanwhile: let a peer that sends do so in pieces of
// 256 KiB or more. Where the kernel has no /proc/self/io, the test is skipped, after the
// transfer.
func Fast(t testing.TB, dst io.Writer, src io.Reader, transfer func() (int64, error)) {
	t.Helper()
	reason := ""
	if dst != nil && src != nil {
		if route := zerocopy.Path(dst, src); route.Reason != "" {
			reason = fmt.Sprintf("\nio.Copy goes by %v here: %s", route.Method, route.Reason)
		}
	}
	before, beforeErr := readCounters()
	n, err := transfer()
	after, afterErr := readCounters()
	switch {
	case err != nil:
		t.Errorf("the transfer failed after %d bytes: %v", n, err)
	case beforeErr != nil || afterErr != nil:
		t.Skipf("no evidence here: %v", beforeErr)
	case n < bytesMin:
		t.Errorf("the transfer moved %d bytes: with fewer than %d the paths cannot be told apart", n, bytesMin)
	default:
		d := after.since(before)
		if d.syscw > n/fastWriteBytes+otherWritesMax {
			t.Errorf("the fast path was lost: %d bytes took %d calls that write, of %d bytes each (%d calls that read; "+
				"%d bytes read, %d written in all); one for %d bytes would be fast%s",
				n, d.syscw, d.wchar/d.syscw, d.syscr, d.rchar, d.wchar, fastWriteBytes, reason)
		}
	}
}

// FastResult fails t unless all bytes of r went inside the kernel.
func FastResult(t testing.TB, r zerocopy.Result) {
	t.Helper()
	check(t, r.Total(), r.Bytes[zerocopy.ByCopy])
}

// FastCounter fails t unless all bytes that c counted went inside the kernel.
func FastCounter(t testing.TB, c *zerocopy.Counter) {
	t.Helper()
	check(t, c.Total(), c.Bytes(zerocopy.ByCopy))
}

func check(t testing.TB, total, copied int64) {
	t.Helper()
	switch {
	case total == 0:
		t.Errorf("no bytes went: nothing can be said of the path")
	case copied > 0:
		t.Errorf("the fast path was lost: %d of %d bytes were copied through memory", copied, total)
	}
}

// account is what the kernel counts of the process. sendfile and copy_file_range count as a
// read and a write, splice as neither.
type ioCounters struct{ rchar, wchar, syscr, syscw int64 }

func (a ioCounters) since(b ioCounters) ioCounters {
	return ioCounters{a.rchar - b.rchar, a.wchar - b.wchar, a.syscr - b.syscr, a.syscw - b.syscw}
}

func readCounters() (a ioCounters, err error) {
	f, err := os.Open("/proc/self/io")
	if err != nil {
		return a, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), ": ")
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return a, fmt.Errorf("read /proc/self/io: %w", err)
		}
		switch name {
		case "rchar":
			a.rchar = n
		case "wchar":
			a.wchar = n
		case "syscr":
			a.syscr = n
		case "syscw":
			a.syscw = n
		}
	}
	return a, lines.Err()
}
