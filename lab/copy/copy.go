// Package copy reruns a published experiment about sendfile and splice, and about what prevents
// their use.
//
// The article "Zero-copy in Go: sendfile, splice, and the cost of io.Copy" by segflow sends a file
// of 512 MiB over loopback TCP from a Go server to a Go client, each on its own CPU, and counts
// system calls and the server's CPU time. This package has its servers, those that it only mentions,
// and this project's own. The comment on each says what the article reports, and what we kept. The ideas are
// the article's, the code is ours. Errors, which the article ignores, are returned.
//
// Server, client and, for relays, the upstream are separate processes: this program starts itself
// again, see [Child]. The client discards bytes inside the kernel, so it is not the bottleneck.
package copy

import (
	"fmt"
	"net"
	"os/exec"
	"slices"

	"github.com/thresh-dev/thresh/lab"
)

// path is how bytes go through a server.
type path string

// The values of path.
const (
	byCopy     path = "copy"     // read into the process's memory and written from there
	bySendfile path = "sendfile" // inside the kernel, from the file to the socket
	bySplice   path = "splice"   // inside the kernel, from socket to socket
)

// variant is one server.
type variant struct {
	id   string // "raw"
	what string // its idea in one line
	path path   // the expected path of most bytes

	published lab.Published
	product   bool

	asks  request
	serve server   // nil for another program
	other *program // nil for a server of this program
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

// program is a server that is not this program.
type program struct {
	name string
	// command writes what the program needs into the folder temp, which is removed afterwards, and returns the
	// command for it. The server listens at address; target is as for a server.
	command func(address, target, temp string) ([]string, error)
}

// find returns the variant of an ID.
func find(id string) (variant, error) {
	for _, v := range variants() {
		if v.id == id {
			return v, nil
		}
	}
	return variant{}, fmt.Errorf("no variant %q", id)
}

// relays reports whether v is a relay: it forwards what an upstream server sends.
func (v variant) relays() bool {
	return slices.Contains([]string{"splice", "relay32", "relay", "haproxy"}, v.id)
}

// options are the options of a measurement.
type options struct {
	file      string // path of a file that is not empty
	transfers int    // transfers of the whole file, one after another; 0 means 1

	// trace counts the server's system calls with strace. That makes it many times slower.
	trace bool
	// hash makes the client hash the bytes, which slows it down.
	hash bool
}

// strace returns the path of strace, or an error if it is not installed.
func strace() (string, error) {
	path, err := exec.LookPath("strace")
	if err != nil {
		return "", fmt.Errorf("strace, which counts system calls, is not installed: %w", err)
	}
	return path, nil
}
