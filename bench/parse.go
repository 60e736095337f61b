package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// receipt has the fields of thresh's receipt that the bench needs.
type receipt struct {
	Bytes   int64   `json:"bytes"`
	Skipped int64   `json:"skipped"`
	Seconds float64 `json:"seconds"`
	Wall    string  `json:"wall"`
	Verdict string  `json:"verdict"`
	Kernel  string  `json:"kernel"`
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

// parseCmp returns the offset, from 0, in cmp's message about two files that differ:
// "A B differ: byte 17, line 1", which counts from 1.
func parseCmp(stdout string) (string, error) {
	_, rest, ok := strings.Cut(stdout, " differ: ")
	if !ok {
		return "", fmt.Errorf("output of cmp: %q", stdout)
	}
	_, rest, _ = strings.Cut(rest, " ") // "byte", or "char" in other locales
	number, _, _ := strings.Cut(rest, ",")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return "", fmt.Errorf("output of cmp: %q: %w", stdout, err)
	}
	return strconv.FormatInt(n-1, 10), nil
}

// fioResult has the fields that the bench needs of fio's JSON output.
type fioResult struct {
	Jobs []struct {
		Error int `json:"error"`
		Read  struct {
			IOBytes   int64   `json:"io_bytes"`
			Bandwidth float64 `json:"bw_bytes"`
		} `json:"read"`
	} `json:"jobs"`
}

// parseFio returns the bytes that fio read, and its rate in bytes per second.
func parseFio(stdout string) (bytes int64, rate float64, err error) {
	// There may be warnings before the object.
	begin := strings.Index(stdout, "{")
	if begin < 0 {
		return 0, 0, fmt.Errorf("no JSON in fio's output %q", stdout)
	}
	var r fioResult
	if err := json.Unmarshal([]byte(stdout[begin:]), &r); err != nil {
		return 0, 0, fmt.Errorf("fio's output: %w", err)
	}
	for _, job := range r.Jobs {
		if job.Error != 0 {
			return 0, 0, fmt.Errorf("fio: job ended with error %d", job.Error)
		}
		bytes += job.Read.IOBytes
		rate += job.Read.Bandwidth
	}
	if bytes == 0 || rate == 0 {
		return 0, 0, errors.New("fio read nothing")
	}
	return bytes, rate, nil
}

// parseOwnMemory returns a process's own memory, in bytes, from /proc/PID/status: anonymous and shared
// memory. It does not include the pages of mapped files, which belong to the page cache.
func parseOwnMemory(status string) (int64, error) {
	var own int64
	found := false
	lines := bufio.NewScanner(strings.NewReader(status))
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		if name != "RssAnon" && name != "RssShmem" {
			continue
		}
		number, isKiB := strings.CutSuffix(strings.TrimSpace(value), " kB")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || !isKiB {
			return 0, fmt.Errorf("memory in the status of a process: %q", lines.Text())
		}
		own += n << 10
		found = true
	}
	if !found {
		return 0, errNoMemory
	}
	return own, nil
}

// errNoMemory reports that a process has no memory: it has ended.
var errNoMemory = errors.New("no memory in the status of a process")

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
