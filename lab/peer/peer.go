// Package peer knows the other programs that this project compares with: how to find them, their versions,
// their fastest fair ways to do what the lab and the benchmarks ask, and their answers.
package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
