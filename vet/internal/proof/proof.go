// Package proof runs the shapes of testdata/shapes, each as a rule flags it and as it is mended, over
// loopback, and says what the kernel was asked to do: a rule is right if the flagged shape copies and the
// mended one does not.
package proof

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Flagged and Fixed are the variants of a shape.
const (
	Flagged = "flagged"
	Fixed   = "fixed"
)

// Relays are the shapes whose bytes come from another server.
var Relays = map[string]bool{"relayedconn": true, "stalledstdout": true}

// Run is one run of a shape.
type Run struct {
	Program string // as Build made it
	Shape   string
	Variant string
	File    string // what is served
	Trace   bool   // count the system calls; the processor time is then no measure
	Times   int    // transfers one after the other
	// StallFor delays the reader of the program's standard output.
	StallFor time.Duration
}

// Outcome is what came of a run.
type Outcome struct {
	Bytes      int64 // that the client received, or that came from standard output
	CPUSeconds float64
	Counted    int64 // by the shape itself
	Calls      Calls // if traced
	Stderr     string
}

// Build compiles the shapes into a folder, and returns the program.
func Build(ctx context.Context, root, folder string) (string, error) {
	program := filepath.Join(folder, "shapes")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, "./internal/proof/testdata/shapes")
	cmd.Dir = filepath.Join(root, "vet")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the shapes: %w: %s", err, out)
	}
	return program, nil
}

// Do starts the server, transfers, and stops it.
func (r Run) Do(ctx context.Context) (o Outcome, err error) {
	target := r.File
	if Relays[r.Shape] {
		up, err := start(ctx, nil, r.Program, "plain", Fixed, r.File)
		if err != nil {
			return o, err
		}
		defer func() {
			_, stopped := up.stop()
			err = errors.Join(err, stopped)
		}()
		target = up.address
	}
	var tracer []string
	log := ""
	if r.Trace {
		folder, err := os.MkdirTemp("", "proof-")
		if err != nil {
			return o, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
		log = filepath.Join(folder, "calls")
		tracer = append(traceCommand(), "-o", log)
	}
	p, err := start(ctx, tracer, r.Program, r.Shape, r.Variant, target)
	if err != nil {
		return o, err
	}
	printed := make(chan int64, 1)
	go func() {
		time.Sleep(r.StallFor)
		n, _ := io.Copy(io.Discard, struct{ io.Reader }{p.stdout}) // ends when the program does
		printed <- n
	}()
	var failed error
	for range max(1, r.Times) {
		n, err := fetch(ctx, p.address)
		o.Bytes += n
		failed = errors.Join(failed, err)
	}
	last, err := p.stop()
	o.Bytes += <-printed
	o.CPUSeconds, o.Counted, o.Stderr = last.Seconds, last.Counted, p.stderr.String()
	if err == nil && last.Errors > 0 {
		err = errors.New("transfers failed")
	}
	if err := errors.Join(failed, err); err != nil {
		return o, fmt.Errorf("%s, %s: %w: %s", r.Shape, r.Variant, err, o.Stderr)
	}
	if r.Trace {
		o.Calls, err = readCalls(log)
	}
	return o, err
}

// fetch sends a request, and reads until the server closes the connection. It returns the number of bytes.
func fetch(ctx context.Context, address string) (n int64, err error) {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if _, err := io.WriteString(c, "GET /data HTTP/1.1\r\nHost: proof\r\nConnection: close\r\n\r\n"); err != nil {
		return 0, err
	}
	buf := make([]byte, 1<<20)
	for {
		k, err := c.Read(buf)
		n += int64(k)
		if errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
}

// process is a running program of shapes.
type process struct {
	cmd      *exec.Cmd
	stdin    io.WriteCloser
	stdout   io.ReadCloser
	messages *os.File
	decoder  *json.Decoder
	stderr   strings.Builder
	address  string
}

// message is the program's message of that name.
type message struct {
	Address string
	Seconds float64
	Counted int64
	Errors  int64
}

func start(ctx context.Context, tracer []string, args ...string) (*process, error) {
	args = append(tracer, args...)
	p := &process{cmd: exec.CommandContext(ctx, args[0], args[1:]...)}
	messages, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.cmd.ExtraFiles, p.cmd.Stderr, p.cmd.WaitDelay = []*os.File{w}, &p.stderr, 10*time.Second
	p.messages, p.decoder = messages, json.NewDecoder(messages)
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, errors.Join(err, messages.Close(), w.Close())
	}
	// A pipe of our own: that of StdoutPipe is closed when the program ends, read or not.
	out, outW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, messages.Close(), w.Close())
	}
	p.stdout, p.cmd.Stdout = out, outW
	if err := errors.Join(p.cmd.Start(), w.Close(), outW.Close()); err != nil {
		return nil, errors.Join(err, messages.Close(), out.Close())
	}
	var first message
	if err := p.decoder.Decode(&first); err != nil {
		_, stopped := p.stop()
		return nil, errors.Join(fmt.Errorf("%s: no address: %w", strings.Join(args, " "), err), stopped)
	}
	p.address = first.Address
	return p, nil
}

// stop ends the program, and returns its last message.
func (p *process) stop() (last message, err error) {
	closed := p.stdin.Close()
	decoded := p.decoder.Decode(&last)
	return last, errors.Join(closed, decoded, p.cmd.Wait(), p.messages.Close())
}
