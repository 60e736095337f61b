// Package copy reruns the published experiment about sendfile, splice and what loses them.
//
// The article "Zero-copy in Go: sendfile, splice, and the cost of io.Copy" by segflow
// sends a file of 512 MiB over loopback TCP from a Go server to a Go client, each on a CPU
// of its own, and counts system calls and the server's CPU time. Here are its servers, those
// that it only names, and this project's own. Each is in a file of its own, whose head says
// what the article says of it and what was kept. The ideas are the article's, the code is
// not. Errors, which the article leaves out, are returned.
//
// Server, client and, for relays, the upstream are processes of their own: this program
// started anew, see [Child]. The client throws bytes away inside the kernel, so that it is
// not what limits.
package copy

import (
	"context"
	"fmt"
	"net"
	"os/exec"
)

// Path is the way that bytes take through a server.
type Path string

// The paths.
const (
	ByCopy     Path = "copy"     // read into memory of the process and written from there
	BySendfile Path = "sendfile" // from the file to the socket inside the kernel
	BySplice   Path = "splice"   // from socket to socket inside the kernel
)

// Variant is one server.
type Variant struct {
	ID   string // "raw"
	What string // its idea in a line
	Path Path   // that most bytes should take

	// Unavailable says why the variant cannot run here.
	Unavailable string

	Published Published

	asks  request
	serve server
}

// Published is what the article says of a variant. Zero is nothing.
type Published struct {
	CPUMillisPerGiB float64 `json:"cpu_ms_per_gib,omitempty"`
	CallsPerGiB     float64 `json:"calls_per_gib,omitempty"` // of all data system calls
}

// request is what a client sends to be given the file.
type request int

const (
	nothing  request = iota // the server begins by itself
	get                     // an HTTP request
	getRange                // an HTTP request for all but the first byte
)

// skipped is how many bytes at the start of the file the answer leaves out.
func (r request) skipped() int64 {
	if r == getRange {
		return 1
	}
	return 0
}

// server answers every connection of a listener until that is closed. Target is the path of
// the file or, for a relay, the address of its upstream. Complain is told of every transfer
// that went wrong, and is safe for concurrent use.
type server func(l net.Listener, target string, complain func(error)) error

// Variants returns all variants, the article's first and in its order, also those that
// cannot run on this machine.
func Variants() []Variant {
	all := []Variant{
		raw(), wrapped(), limit(), forward(), splice(),
		httpLength(), httpChunked(), httpMiddleware(), httpFileServer(), httpRange(),
		relay32(), productServe(), productRelay(),
	}
	for i := range all {
		all[i].Unavailable = unavailable
	}
	return all
}

// relays reports whether v passes on what another server sends.
func (v Variant) relays() bool { return v.ID == "splice" || v.ID == "relay32" || v.ID == "relay" }

// Options of a run.
type Options struct {
	File      string // must not be empty
	Transfers int    // of the whole file, one after another; 0: 1

	// Trace counts the server's system calls with strace. That slows it down many times.
	Trace bool
	// Verify has the client hash what comes, which slows it down.
	Verify bool
}

// Tracer returns the path of strace, or an error that says why traced runs cannot be.
func Tracer() (string, error) {
	path, err := exec.LookPath("strace")
	if err != nil {
		return "", fmt.Errorf("system calls are counted by strace, which is not installed: %w", err)
	}
	return path, nil
}

// Run serves the file to a client. Whatever happens, no process is left when it returns.
func (v Variant) Run(ctx context.Context, o Options) (Outcome, error) { return v.run(ctx, o) }
