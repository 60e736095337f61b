package copy

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
