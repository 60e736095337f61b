package copy

// Outcome is the outcome of a run.
type Outcome struct {
	Bytes       int64   `json:"bytes"`        // received by the client
	WallSeconds float64 `json:"wall_seconds"` // of the client
	CPUSeconds  float64 `json:"cpu_seconds"`  // of the server, user and system
	IO          IO      `json:"io"`
	Calls       *Calls  `json:"calls,omitempty"` // nil unless traced
}

// IO has the kernel's counters of a process, from /proc/PID/io. Reading them costs nothing and needs
// no privileges, but they tell less than a trace: a sendfile counts as both a read and a write, a
// splice as neither.
type IO struct {
	ReadCalls  int64 `json:"read_calls"`
	WriteCalls int64 `json:"write_calls"`
	ReadBytes  int64 `json:"read_bytes"`
	WriteBytes int64 `json:"write_bytes"`
}

// Calls are the data system calls of a traced server, from its start to its end.
type Calls struct {
	Read     Count `json:"read"` // of all kinds: read, pread, recvfrom, ...
	Write    Count `json:"write"`
	Sendfile Count `json:"sendfile"`
	Splice   Count `json:"splice"` // moves every byte twice: into a pipe and out of it
}

// Count has the number of calls, including failed ones, of failed calls, and of bytes moved.
type Count struct {
	Calls  int64 `json:"calls"`
	Errors int64 `json:"errors"` // mostly because a socket is full, or empty
	Bytes  int64 `json:"bytes"`
}

// Total returns the number of calls of all kinds.
func (c Calls) Total() int64 {
	return c.Read.Calls + c.Write.Calls + c.Sendfile.Calls + c.Splice.Calls
}

// Path returns the path of most bytes. Without a trace it is an inference: no known copy loop moves
// more than copyBytesMax in one call, and only splice moves bytes that are not counted.
func (o Outcome) Path() Path {
	switch c := o.Calls; {
	case c != nil && c.Sendfile.Bytes > o.Bytes/2:
		return BySendfile
	case c != nil && c.Splice.Bytes/2 > o.Bytes/2:
		return BySplice
	case c != nil:
		return ByCopy
	case o.IO.WriteBytes < o.Bytes/2:
		return BySplice
	case o.IO.WriteBytes > copyBytesMax*o.IO.WriteCalls:
		return BySendfile
	}
	return ByCopy
}

// CallsPerGiB returns the number of data system calls for each GiB sent. It is unknown for splice
// without a trace.
func (o Outcome) CallsPerGiB() (calls float64, known bool) {
	gib := float64(o.Bytes) / (1 << 30)
	switch {
	case o.Calls != nil:
		return float64(o.Calls.Total()) / gib, true
	case o.Path() == BySendfile:
		return float64(o.IO.WriteCalls) / gib, true
	case o.Path() == ByCopy:
		return float64(o.IO.ReadCalls+o.IO.WriteCalls) / gib, true
	}
	return 0, false
}

// CPUMillisPerGiB returns the server's CPU time for each GiB sent.
func (o Outcome) CPUMillisPerGiB() float64 {
	return o.CPUSeconds * 1e3 / (float64(o.Bytes) / (1 << 30))
}

// copyBytesMax is twice the size of io.Copy's buffer.
const copyBytesMax = 64 << 10

// touched returns how many bytes the process wrote from its own memory. Without a trace it includes
// those of sendfile.
func (o Outcome) touched() int64 {
	if o.Calls != nil {
		return o.Calls.Write.Bytes
	}
	return o.IO.WriteBytes
}
