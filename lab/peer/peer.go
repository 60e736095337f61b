// Package peer knows the other programs that this project compares with: how to find them, their versions,
// their fastest fair ways to do what the lab and the benchmarks ask, and their answers.
package peer

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ExtendPath adds the folders to PATH where programs are that usually only root finds, nginx and HAProxy, and the
// one that scripts/test-setup.sh installs into.
func ExtendPath() error {
	if runtime.GOOS == "windows" {
		return nil
	}
	path := os.Getenv("PATH") + string(filepath.ListSeparator) + "/usr/sbin"
	if cache, err := os.UserCacheDir(); err == nil {
		path += string(filepath.ListSeparator) + filepath.Join(cache, "thresh", "bin")
	}
	return os.Setenv("PATH", path)
}

// Missing returns the first of the programs that is not installed, "" if all are.
func Missing(tools ...string) string {
	for _, name := range tools {
		if _, err := exec.LookPath(name); err != nil {
			return name
		}
	}
	return ""
}

// NotInstalled says in a sentence which of the programs is missing, "" if none is: it is for a variant's
// field Missing.
func NotInstalled(tools ...string) string {
	if name := Missing(tools...); name != "" {
		return name + " is not installed"
	}
	return ""
}

// Absent is the version of a program that is not installed.
const Absent = "not installed"

// versionFlags are the flags for the version, of programs where it is not --version.
var versionFlags = map[string]string{
	"nginx": "-v", "haproxy": "-v", "caddy": "version", "wrk": "-v", "strace": "-V", "libdeflate-gunzip": "-V",
	"mawk": "-W version", "javac": "-version", "java": "-version",
}

// Version returns the first line of what a program says about its version, or Absent.
func Version(program string) string {
	flags := []string{"--version"}
	if f, other := versionFlags[filepath.Base(program)]; other {
		flags = strings.Fields(f)
	}
	// Some print to standard error; wrk exits with status 1 after printing it.
	text, err := exec.Command(program, flags...).CombinedOutput()
	if err != nil && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) || len(text) == 0) {
		return Absent
	}
	return FirstLine(string(text))
}

// Versions returns the versions of the programs that the lab can use and that are installed, with those of
// the Python libraries.
func Versions() map[string]string {
	var out sync.Map // they are asked at once: some take a second to start
	var wg sync.WaitGroup
	for _, name := range []string{
		"cmp", "grep", "rg", "wc", "mawk", "nginx", "haproxy", "fio", "cc", "javac", "perf", "strace",
	} {
		wg.Go(func() { out.Store(name, Version(name)) })
	}
	for name, v := range Libraries(Python("")) {
		out.Store(name, v)
	}
	wg.Wait()
	versions := map[string]string{}
	for name, v := range out.Range {
		if v != Absent {
			versions[name.(string)] = v.(string)
		}
	}
	return versions
}

// Output is what a program gave.
type Output struct {
	Stdout, Stderr string
	Seconds        float64 // from before its start to its end
	UserSeconds    float64 // of processor time
	SystemSeconds  float64 // the kernel's for it
	Status         int
}

// CPUSeconds is the processor time, its own and the kernel's for it.
func (o Output) CPUSeconds() float64 { return o.UserSeconds + o.SystemSeconds }

// Exec runs a program with more variables in its environment. Any exit status is an output; what did not run, or was
// ended by a signal, is an error.
func Exec(ctx context.Context, env []string, args ...string) (o Output, err error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begin := time.Now()
	err = cmd.Run()
	o = Output{Stdout: stdout.String(), Stderr: stderr.String(), Seconds: time.Since(begin).Seconds()}
	if p := cmd.ProcessState; p != nil {
		o.UserSeconds, o.SystemSeconds, o.Status = p.UserTime().Seconds(), p.SystemTime().Seconds(), p.ExitCode()
	}
	if err != nil && o.Status <= 0 {
		return o, fmt.Errorf("%s: %w: %s", args[0], err, lastLine(o.Stderr))
	}
	return o, nil
}

// Run runs a program in the plain locale, in which the programs that have one are fastest. A status of at
// most that many is not an error: cmp says with 1 that files differ.
func Run(ctx context.Context, statusMax int, args ...string) (Output, error) {
	o, err := Exec(ctx, []string{"LC_ALL=C"}, args...)
	return o, errors.Join(err, o.Ended(statusMax, args[0]))
}

// Ended returns an error if a program ended with a higher status than that.
func (o Output) Ended(statusMax int, program string) error {
	if o.Status > statusMax {
		return fmt.Errorf("%s: exit status %d: %s", program, o.Status, lastLine(o.Stderr))
	}
	return nil
}

// lastLine returns the last line of what a program wrote: Python has the error there, below where it arose.
func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// FirstLine returns the first line of a text, without the space around it.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// Installed returns the path of a program that scripts/bench-setup.sh builds.
func Installed(name string) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return name
	}
	return filepath.Join(cache, "thresh", name)
}

// Rg returns a command of ripgrep that does not depend on the user's configuration.
func Rg(args ...string) []string { return append([]string{"rg", "--no-config"}, args...) }

//go:embed ask_mawk.awk
var askMawk string

// Mawk returns the command that answers the four questions about a file of donations in one pass. Its output
// has a line for each part of the answers, such as "lines: 17".
func Mawk(file string) []string { return []string{"mawk", "-F|", askMawk, file} }

// WcLines returns the command that counts the line feeds of a file.
func WcLines(file string) []string { return []string{"wc", "-l", file} }

// RgLines returns the command that counts the lines of a file, also a last one without a line feed. It ends
// with status 1 and without output if there are none.
func RgLines(file string) []string { return Rg("-c", "", file) }

// Cmp returns the command that compares a file with zeros. It ends with status 1 where they differ.
func Cmp(file string) []string { return []string{"cmp", file, "/dev/zero"} }

// ParseCmp returns the offset, from 0, in cmp's message about two files that differ:
// "A B differ: byte 17, line 1", which counts from 1.
func ParseCmp(stdout string) (string, error) {
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
