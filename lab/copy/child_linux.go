package copy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

const unavailable = ""

// childCommand makes a program do the work of one of the processes.
const childCommand = "lab-copy-child"

// Child does the work of the processes that Run starts, when args, those behind the name of
// the program, ask for it. A program that calls Run calls Child first thing, and ends with
// its status if it handled them.
//
// A process ends when its standard input does, and so at the latest with its parent,
// however that ends, and also with strace in between.
func Child(args []string) (handled bool, status int) {
	if len(args) < 2 || args[0] != childCommand {
		return false, 0
	}
	var err error
	switch args = args[1:]; {
	case len(args) == 3 && args[0] == "serve":
		err = childServe(args[1], args[2])
	case len(args) == 2 && args[0] == "fetch":
		err = childFetch(args[1])
	default:
		err = fmt.Errorf("unknown work %q", args)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return true, 1
	}
	return true, 0
}

// started is a server's first word.
type started struct{ Address string }

// usage is a server's answer to each line that it reads: what it used since its start.
type usage struct {
	CPUSeconds float64
	IO         IO
	Complaints []string
}

// childServe serves target with a variant.
func childServe(id, target string) error {
	v, err := find(id)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var complaints complaints
	go func() {
		err := v.serve(l, target, complaints.add) // a server that ends has failed
		complaints.add(errors.Join(err, l.Close()))
	}()
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(started{l.Addr().String()}); err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		u, err := used()
		if err != nil {
			return err
		}
		u.Complaints = complaints.all()
		if err := out.Encode(u); err != nil {
			return err
		}
	}
	return lines.Err()
}

func find(id string) (Variant, error) {
	for _, v := range Variants() {
		if v.ID == id {
			return v, nil
		}
	}
	return Variant{}, fmt.Errorf("no variant %q", id)
}

// complaints are what went wrong in a server. They are safe for concurrent use.
type complaints struct {
	mu   sync.Mutex
	text []string
}

func (c *complaints) add(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text = append(c.text, err.Error())
}

func (c *complaints) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text[:len(c.text):len(c.text)]
}

// used returns what this process used since its start.
func used() (usage, error) {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return usage{}, fmt.Errorf("getrusage: %w", err)
	}
	counts, err := readIO("/proc/self/io")
	return usage{CPUSeconds: float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9, IO: counts}, err
}

// readIO reads the counts of a process, one a line with its name before it.
func readIO(path string) (IO, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return IO{}, err
	}
	var counts IO
	fields := map[string]*int64{
		"syscr": &counts.ReadCalls, "syscw": &counts.WriteCalls,
		"rchar": &counts.ReadBytes, "wchar": &counts.WriteBytes,
	}
	for line := range bytes.Lines(text) {
		name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
		if field := fields[string(name)]; field != nil {
			if *field, err = strconv.ParseInt(string(value), 10, 64); err != nil {
				return IO{}, fmt.Errorf("%s: %s: %w", path, name, err)
			}
			delete(fields, string(name))
		}
	}
	if len(fields) > 0 {
		return IO{}, fmt.Errorf("%s lacks counts that this kernel should have: %q", path, text)
	}
	return counts, nil
}

func (i IO) minus(j IO) IO {
	return IO{
		ReadCalls: i.ReadCalls - j.ReadCalls, WriteCalls: i.WriteCalls - j.WriteCalls,
		ReadBytes: i.ReadBytes - j.ReadBytes, WriteBytes: i.WriteBytes - j.WriteBytes,
	}
}
