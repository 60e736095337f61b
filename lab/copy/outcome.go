package copy

// Outcome is what a run took.
type Outcome struct {
	Bytes       int64   `json:"bytes"`        // that the client was given
	WallSeconds float64 `json:"wall_seconds"` // of the client
	CPUSeconds  float64 `json:"cpu_seconds"`  // of the server, user and system
	IO          IO      `json:"io"`
	Calls       *Calls  `json:"calls,omitempty"` // nil unless traced
}

// IO is what the kernel counts for every process, in /proc/PID/io: it costs nothing, needs
// no rights and sees less than a trace. A sendfile is both a read and a write, a splice is
// neither.
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
	Splice   Count `json:"splice"` // passes every byte twice, into a pipe and out of it
}

// Count is how often a system call was made, how often of these in vain, and what it moved.
type Count struct {
	Calls  int64 `json:"calls"`
	Errors int64 `json:"errors"` // most say that a socket is full, or empty
	Bytes  int64 `json:"bytes"`
}

// Total returns the calls of all kinds.
func (c Calls) Total() int64 {
	return c.Read.Calls + c.Write.Calls + c.Sendfile.Calls + c.Splice.Calls
}

// Path returns the way that most bytes took. Without a trace it is a guess: no loop that
// copies is known to do more than copyBytesMax in one call, and only a splice moves bytes
// that are not counted at all.
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

// CallsPerGiB returns how many system calls that carry data were made for each GiB sent. It
// is not known for a splice without a trace.
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

// copyBytesMax is twice what io.Copy moves at a time.
const copyBytesMax = 64 << 10

// touched returns how many bytes the process wrote from its own memory. Without a trace
// those of sendfile are among them.
func (o Outcome) touched() int64 {
	if o.Calls != nil {
		return o.Calls.Write.Bytes
	}
	return o.IO.WriteBytes
}
