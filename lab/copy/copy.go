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

// outcome is the outcome of a measurement.
type outcome struct {
	bytes         int64   // received by the client
	wallSeconds   float64 // of the client
	userSeconds   float64 // of the server
	systemSeconds float64
	io            ioCounts
	calls         *calls // nil unless traced
	sum           string // SHA-256 of the file as the client got it, empty unless hashed
}

// ioCounts has the kernel's counters of a process, from /proc/PID/io. Reading them costs nothing and
// needs no privileges, but they tell less than a trace: a sendfile counts as both a read and a write, a
// splice as neither.
type ioCounts struct{ ReadCalls, WriteCalls, ReadBytes, WriteBytes int64 }

// calls are the data system calls of a traced server, from its start to its end.
type calls struct {
	read     count // of all kinds: read, pread, recvfrom, ...
	write    count
	sendfile count
	splice   count // moves every byte twice: into a pipe and out of it
}

// count has the number of calls, including failed ones, of failed calls, and of bytes moved. Calls fail
// mostly because a socket is full, or empty.
type count struct{ calls, errors, bytes int64 }

// total returns the number of calls of all kinds.
func (c calls) total() int64 {
	return c.read.calls + c.write.calls + c.sendfile.calls + c.splice.calls
}

// shares are the parts of the file that took each path.
type shares struct{ sendfile, splice, copied float64 }

// shares returns how the bytes went. Without a trace it is an inference: no known copy loop moves more
// than copyBytesMax in one call, and only splice moves bytes that are not counted.
func (o outcome) shares() shares {
	all := float64(o.bytes)
	switch c := o.calls; {
	case c != nil:
		return shares{float64(c.sendfile.bytes) / all, float64(c.splice.bytes) / 2 / all, float64(c.write.bytes) / all}
	case o.io.WriteBytes < o.bytes/2:
		copied := float64(o.io.WriteBytes) / all
		return shares{splice: 1 - copied, copied: copied}
	case o.io.WriteBytes > copyBytesMax*o.io.WriteCalls:
		return shares{sendfile: 1}
	}
	return shares{copied: 1}
}

// path returns the path of most bytes.
func (s shares) path() path {
	switch {
	case s.sendfile > .5:
		return bySendfile
	case s.splice > .5:
		return bySplice
	}
	return byCopy
}

// copyBytesMax is twice the size of io.Copy's buffer.
const copyBytesMax = 64 << 10

// callsPerGiB returns the number of data system calls for each GiB sent. It is unknown for splice
// without a trace.
func (o outcome) callsPerGiB() (calls float64, known bool) {
	gib := float64(o.bytes) / (1 << 30)
	if o.calls != nil {
		return float64(o.calls.total()) / gib, true
	}
	switch o.shares().path() {
	case bySendfile:
		return float64(o.io.WriteCalls) / gib, true
	case byCopy:
		return float64(o.io.ReadCalls+o.io.WriteCalls) / gib, true
	}
	return 0, false
}
