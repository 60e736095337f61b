// Package copy reruns a published experiment about sendfile and splice, and about what prevents
// their use.
//
// The article "Zero-copy in Go: sendfile, splice, and the cost of io.Copy" by segflow sends a file
// of 512 MiB over loopback TCP from a Go server to a Go client, each on its own CPU, and counts
// system calls and the server's CPU time. This package has its servers, those that it only mentions,
// and this project's own, each in its own file. The comment there says what the article reports, and
// what we kept. The ideas are the article's, the code is ours. Errors, which the article ignores,
// are returned.
//
// Server, client and, for relays, the upstream are separate processes: this program starts itself
// again, see [Child]. The client discards bytes inside the kernel, so it is not the bottleneck.
package copy

import (
	"context"
	"fmt"
	"net"
	"os/exec"
)

// Path is how bytes go through a server.
type Path string

// The values of Path.
const (
	ByCopy     Path = "copy"     // read into the process's memory and written from there
	BySendfile Path = "sendfile" // inside the kernel, from the file to the socket
	BySplice   Path = "splice"   // inside the kernel, from socket to socket
)

// Variant is one server.
type Variant struct {
	ID   string // "raw"
	What string // its idea in one line
	Path Path   // the expected path of most bytes

	// Unavailable says why the variant cannot run here.
	Unavailable string

	Published Published

	asks  request
	serve server
}

// Published has the article's figures for a variant. Zero means none.
type Published struct {
	CPUMillisPerGiB float64 `json:"cpu_ms_per_gib,omitempty"`
	CallsPerGiB     float64 `json:"calls_per_gib,omitempty"` // of all data system calls
}

// request is what a client sends to get the file.
type request int

const (
	nothing  request = iota // the server sends without a request
	get                     // an HTTP request
	getRange                // an HTTP request for all but the first byte
)

// skipped returns how many bytes at the start of the file the answer omits.
func (r request) skipped() int64 {
	if r == getRange {
		return 1
	}
	return 0
}

// server answers every connection of a listener until the listener is closed. target is the path of
// the file or, for a relay, the address of its upstream. logError is called with the error of every
// failed transfer, and is safe for concurrent use.
type server func(l net.Listener, target string, logError func(error)) error

// Variants returns all variants: those of the article first, in its order. It includes those that
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

// relays reports whether v is a relay: it forwards what an upstream server sends.
func (v Variant) relays() bool { return v.ID == "splice" || v.ID == "relay32" || v.ID == "relay" }

// Options are the options of a run.
type Options struct {
	File      string // path of a file that is not empty
	Transfers int    // transfers of the whole file, one after another; 0 means 1

	// Trace counts the server's system calls with strace. That makes it many times slower.
	Trace bool
	// Verify makes the client check a hash of the bytes, which slows it down.
	Verify bool
}

// Tracer returns the path of strace, or an error if it is not installed.
func Tracer() (string, error) {
	path, err := exec.LookPath("strace")
	if err != nil {
		return "", fmt.Errorf("strace, which counts system calls, is not installed: %w", err)
	}
	return path, nil
}

// Run serves the file to a client. When it returns, all child processes have ended, whatever
// happened.
func (v Variant) Run(ctx context.Context, o Options) (Outcome, error) { return v.run(ctx, o) }
