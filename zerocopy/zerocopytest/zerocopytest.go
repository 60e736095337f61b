// Package zerocopytest fails a test whose transfer left the fast path: its bytes went through the
// memory of the process although a system call could have moved them.
//
//	zerocopytest.Fast(t, dst, src, func() (int64, error) { return io.Copy(dst, src) })
//
// There are two kinds of evidence. FastResult and FastCounter use what package zerocopy reports
// about its own transfers; that is exact. Fast works with any code: it uses the counters in
// /proc/self/io. These cover the whole process, and can only tell few large writes from many small
// ones.
package zerocopytest

import (
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/thresh-dev/thresh/internal/machine/proc"
	"github.com/thresh-dev/thresh/zerocopy"
)

const (
	// fastWriteBytes is the least that one call of the fast path moves on average. A copy moves
	// less, because the buffers of io.Copy hold 32 KiB.
	fastWriteBytes = 256 << 10
	// bytesMin is the smallest transfer that Fast can judge.
	bytesMin = 4 * fastWriteBytes
	// otherWritesMax is how many small writes are tolerated: headers, the first bytes of a body.
	otherWritesMax = 8
)

// Fast runs transfer, which returns the number of bytes that it moved, and fails t if it used more
// write calls than one for each 256 KiB. dst and src are the two ends; they serve to explain a
// failure and may be nil. The transfer must move at least 1 MiB. Meanwhile the process must not
// write much else: a peer that sends data should write at least 256 KiB at a time. Without
// /proc/self/io the test is skipped after the transfer.
func Fast(t testing.TB, dst io.Writer, src io.Reader, transfer func() (int64, error)) {
	t.Helper()
	if transfer == nil {
		t.Errorf("the transfer is nil")
		return
	}
	reason := ""
	if dst != nil && src != nil {
		if route := zerocopy.Path(dst, src); route.Reason != "" {
			reason = fmt.Sprintf("\nio.Copy uses %v here: %s", route.Method, route.Reason)
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
		t.Errorf("the transfer moved %d bytes: below %d the paths cannot be told apart", n, bytesMin)
	default:
		d := after.Since(before)
		if d.WriteCalls > n/fastWriteBytes+otherWritesMax {
			t.Errorf("the fast path was lost: %d bytes took %d calls that write, of %d bytes each (%d calls that read; "+
				"%d bytes read, %d written in all); one for %d bytes would be fast%s",
				n, d.WriteCalls, d.WriteChars/d.WriteCalls, d.ReadCalls, d.ReadChars, d.WriteChars, fastWriteBytes, reason)
		}
	}
}

// FastResult fails t unless all bytes of r went inside the kernel. It also fails if there were
// none.
func FastResult(t testing.TB, r zerocopy.Result) {
	t.Helper()
	check(t, r.Total(), r.Bytes[zerocopy.ByCopy])
}

// FastCounter fails t unless all bytes that c counted went inside the kernel. It also fails if
// there were none.
func FastCounter(t testing.TB, c *zerocopy.Counter) {
	t.Helper()
	if c == nil {
		t.Errorf("the counter is nil")
		return
	}
	check(t, c.Total(), c.Bytes(zerocopy.ByCopy))
}

func check(t testing.TB, total, copied int64) {
	t.Helper()
	switch {
	case total == 0:
		t.Errorf("no bytes were transferred, so the path is unknown")
	case copied > 0:
		t.Errorf("the fast path was lost: %d of %d bytes were copied through memory", copied, total)
	}
}

// readCounters returns the kernel's counters of the process. sendfile and copy_file_range count as one read and one
// write, splice as neither.
func readCounters() (proc.IO, error) {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return proc.IO{}, err
	}
	io, err := proc.ParseIO(text)
	if err != nil {
		return io, fmt.Errorf("read /proc/self/io: %w", err)
	}
	return io, nil
}
