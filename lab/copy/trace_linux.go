package copy

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// tracer runs strace on one process, with a log file.
type tracer struct{ program, folder string }

func newTracer() (*tracer, error) {
	program, err := strace()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "lab-copy-")
	return &tracer{program, folder}, err
}

func (t *tracer) remove() error { return os.RemoveAll(t.folder) }
func (t *tracer) log() string   { return filepath.Join(t.folder, "strace") }

// kinds maps a system call to the count that it belongs to.
var kinds = map[string]func(c *calls) *count{
	"read": read, "pread64": read, "readv": read, "preadv": read, "recvfrom": read, "recvmsg": read,
	"write": write, "pwrite64": write, "writev": write, "pwritev": write, "sendto": write, "sendmsg": write,
	"sendfile": func(c *calls) *count { return &c.sendfile },
	"splice":   func(c *calls) *count { return &c.splice },
}

func read(c *calls) *count  { return &c.read }
func write(c *calls) *count { return &c.write }

// command returns the prefix for the command of a traced process. strace logs every call: its own
// summary does not have the bytes.
func (t *tracer) command() []string {
	if t == nil {
		return nil
	}
	var names []string
	for name := range kinds {
		names = append(names, name)
	}
	return []string{t.program, "-f", "-qq", "-s0", "-esignal=none", "-etrace=" + strings.Join(names, ","), "-o" + t.log()}
}

// calls returns the calls in the log. The process must have ended.
func (t *tracer) calls() (_ *calls, err error) {
	f, err := os.Open(t.log())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var c calls
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if err := c.add(lines.Text()); err != nil {
			return nil, err
		}
	}
	return &c, lines.Err()
}

// add counts the call in a line of the log, which looks like one of these:
//
//	71 sendfile(8, 9, NULL, 4194304) = 65536
//	71 read(8,  <unfinished ...>
//	71 <... read resumed>""..., 512) = -1 EAGAIN (Resource temporarily unavailable)
//	71 +++ exited with 0 +++
//
// A call is counted on the line with its result.
func (c *calls) add(line string) error {
	_, call, _ := strings.Cut(line, " ")
	call = strings.TrimLeft(call, " ")
	at := strings.LastIndex(call, " = ")
	if at < 0 || strings.HasPrefix(call, "+++") {
		return nil
	}
	name := call[:strings.IndexAny(call+"(", "(")]
	if rest, resumed := strings.CutPrefix(call, "<... "); resumed {
		name, _, _ = strings.Cut(rest, " ")
	}
	kind := kinds[name]
	if kind == nil {
		return fmt.Errorf("strace logged an unexpected call: %q", line)
	}
	counted := kind(c)
	result, _, _ := strings.Cut(call[at+len(" = "):], " ")
	if result == "?" {
		return nil // the process ended inside the call
	}
	n, err := strconv.ParseInt(result, 10, 64)
	if err != nil {
		return fmt.Errorf("strace logged %q: %w", line, err)
	}
	counted.calls++
	if n < 0 {
		counted.errors++
	}
	counted.bytes += max(0, n)
	return nil
}
