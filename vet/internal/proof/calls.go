package proof

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// Calls are the system calls of a run by name.
type Calls map[string]Count

// Count is how often a system call was made, and the bytes that it returned.
type Count struct{ Calls, Bytes int64 }

// kept are the calls that move bytes inside of the kernel; splice counts twice, into a pipe and out of it.
var kept = map[string]int64{"sendfile": 1, "splice": 2, "copy_file_range": 1}

var copying = []string{"read", "pread64", "recvfrom", "write", "writev", "sendto", "pwrite64"}

// Kept returns the bytes that moved inside of the kernel.
func (c Calls) Kept() (bytes int64) {
	for name, times := range kept {
		bytes += c[name].Bytes / times
	}
	return bytes
}

// Number returns how many calls there were.
func (c Calls) Number() (n int64) {
	for _, count := range c {
		n += count.Calls
	}
	return n
}

// String lists the calls that moved bytes inside of the kernel, and how many others there were.
func (c Calls) String() string {
	var parts []string
	others := int64(0)
	for _, name := range copying {
		others += c[name].Calls
	}
	for _, name := range []string{"sendfile", "splice", "copy_file_range"} {
		if n := c[name].Calls; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		}
	}
	return strings.Join(append(parts, fmt.Sprintf("%d read and write", others)), ", ")
}

func traceCommand() []string {
	names := append([]string{"sendfile", "splice", "copy_file_range"}, copying...)
	return []string{"strace", "-f", "-qq", "--seccomp-bpf", "-s0", "-esignal=none", "-etrace=" + strings.Join(names, ",")}
}

// call matches a line of strace with a result: a call, or the end of one that another thread interrupted.
var call = regexp.MustCompile(`^\d+ +(?:<\.\.\. )?(\w+)(?:\(| resumed>).*= (-?\d+)(?: |$)`)

// readCalls reads strace's log.
func readCalls(log string) (_ Calls, err error) {
	f, err := os.Open(log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	calls := Calls{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		m := call.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		n, err := strconv.ParseInt(m[2], 10, 64)
		if err != nil {
			return nil, err
		}
		count := calls[m[1]]
		count.Calls++
		count.Bytes += max(0, n)
		calls[m[1]] = count
	}
	return calls, lines.Err()
}
