package versus

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/machine/proc"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/peer"
)

// receipt has the fields of thresh's receipt that the bench needs.
type receipt struct {
	Bytes   int64      `json:"bytes"`
	Skipped int64      `json:"skipped"`
	Seconds float64    `json:"seconds"`
	Verdict string     `json:"verdict"`
	Parts   []lab.Part `json:"parts"`
	Kernel  string     `json:"kernel"`
}

// parseReceipt returns the receipt in the standard error of thresh: the last line that is a JSON
// object.
func parseReceipt(stderr string) (receipt, error) {
	var r receipt
	last := ""
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "{") {
			last = line
		}
	}
	if last == "" {
		return r, fmt.Errorf("no receipt in standard error %q", stderr)
	}
	if err := json.Unmarshal([]byte(last), &r); err != nil {
		return r, fmt.Errorf("receipt %q: %w", last, err)
	}
	if r.Seconds <= 0 || r.Bytes+r.Skipped <= 0 {
		return r, fmt.Errorf("receipt without bytes or seconds: %q", last)
	}
	return r, nil
}

// parseOwnMemory returns a process's own memory, in bytes, from /proc/PID/status: anonymous and shared
// memory. It does not include the pages of mapped files, which belong to the page cache.
func parseOwnMemory(status []byte) (int64, error) {
	anonymous, ok, err := proc.FieldBytes(status, "RssAnon")
	shared, _, sharedErr := proc.FieldBytes(status, "RssShmem")
	if err = errors.Join(err, sharedErr); err != nil {
		return 0, fmt.Errorf("memory in the status of a process: %w", err)
	}
	if !ok {
		return 0, errNoMemory
	}
	return anonymous + shared, nil
}

// errNoMemory reports that a process has no memory: it has ended.
var errNoMemory = errors.New("no memory in the status of a process")

// dataCalls are the system calls that move data, or try to.
var dataCalls = []string{
	"read", "pread64", "readv", "preadv", "preadv2", "recvfrom", "recvmsg", "recvmmsg",
	"write", "pwrite64", "writev", "pwritev", "pwritev2", "sendto", "sendmsg", "sendmmsg",
	"sendfile", "splice", "tee", "vmsplice", "copy_file_range", "io_uring_enter",
}

// parseCalls returns the number of system calls that moved data, and of all system calls, from the
// table of strace -c:
//
//	% time     seconds  usecs/call     calls    errors syscall
//	 61.22    0.231034          56      4096        12 sendfile
func parseCalls(table string) (data, all int64, err error) {
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) < 5 || len(fields) > 6 || fields[0] == "%" || strings.HasPrefix(fields[0], "-") {
			continue
		}
		call := fields[len(fields)-1]
		if call == "total" {
			continue
		}
		n, err := strconv.ParseInt(fields[3], 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("table of strace: %q: %w", line, err)
		}
		all += n
		if slices.Contains(dataCalls, call) {
			data += n
		}
	}
	if data == 0 {
		return 0, 0, fmt.Errorf("strace counted no call that moved data: %q", peer.FirstLine(table))
	}
	return data, all, nil
}

// requested is the output of our script for wrk.
type requested struct {
	Requests int64 `json:"requests"`
	Bytes    int64 `json:"bytes"`
	Micros   int64 `json:"microseconds"`
	Errors   int64 `json:"errors"` // of any kind, including statuses other than 2xx
}

// parseWrk returns what wrk did, from the line that our script prints. bytes is the length of each
// answer without its header.
func parseWrk(stdout string, bytes int64) (r requested, err error) {
	const mark = "wrk did "
	_, text, ok := strings.Cut(stdout, mark)
	if !ok {
		return r, fmt.Errorf("output of wrk: %q", peer.FirstLine(stdout))
	}
	if err := json.Unmarshal([]byte(peer.FirstLine(text)), &r); err != nil {
		return r, fmt.Errorf("output of wrk: %q: %w", peer.FirstLine(text), err)
	}
	if r.Requests <= 0 || r.Micros <= 0 || r.Errors > 0 {
		return r, fmt.Errorf("wrk made %d requests with %d errors in %d µs", r.Requests, r.Errors, r.Micros)
	}
	const headerMax = 1024
	if each := r.Bytes / r.Requests; each <= bytes || each > bytes+headerMax {
		return r, fmt.Errorf("answers have %d bytes, want %d and a header", each, bytes)
	}
	return r, nil
}
