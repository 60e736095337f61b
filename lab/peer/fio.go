package peer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Fio returns the command with which fio reads a file in order past the page cache, with that many reads
// of a size, such as "1m", under way at a time. Its rate excludes its start.
func Fio(file string, bytes int64, depth int, blockSize string, more ...string) []string {
	args := []string{
		"fio", "--name=sequential", "--filename=" + file, "--readonly", "--allow_file_create=0",
		"--rw=read", "--direct=1", "--ioengine=io_uring", "--iodepth=" + strconv.Itoa(depth),
		"--bs=" + blockSize, "--size=" + strconv.FormatInt(bytes&^(1<<22-1), 10),
		"--output-format=json",
	}
	return append(args, more...)
}

// fioResult has what is needed of fio's JSON output.
type fioResult struct {
	Jobs []struct {
		Error int `json:"error"`
		Read  struct {
			IOBytes   int64   `json:"io_bytes"`
			Bandwidth float64 `json:"bw_bytes"`
		} `json:"read"`
	} `json:"jobs"`
}

// ParseFio returns the bytes that fio read, and its rate in bytes per second.
func ParseFio(stdout string) (bytes int64, rate float64, err error) {
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
