// Package proc reads what Linux says about processes and threads in /proc. The functions that parse are
// pure, allocate nothing and work on every system. File keeps a descriptor open, so that reading the
// same file again costs one system call.
package proc

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"
)

// ErrFormat is returned for text that is not in the kernel's format.
var ErrFormat = errors.New("not in the format of the kernel")

// tick is the unit of processor time in stat: the kernel's USER_HZ, which is 100 on all processors
// that Go supports.
const tick = 10 * time.Millisecond

// Stat is the part of /proc/PID/stat, or of /proc/PID/task/TID/stat, that tells how a process fares.
type Stat struct {
	PID, PPID, Session int
	State              byte // R running or ready, S asleep, D asleep and not interruptible, T stopped, Z ended

	// Of the process, and of its children that it has waited for.
	User, System, ChildrenUser, ChildrenSystem time.Duration
	MinorFaults, MajorFaults                   int64
	ChildrenMinorFaults, ChildrenMajorFaults   int64

	Threads int
	Start   int64 // ticks after the system's start; tells processes with the same number apart
}

// ParseStat parses the line of a stat file. The name of the program, in parentheses, may contain any
// character, so the fields after it begin behind the last parenthesis.
func ParseStat(text []byte) (s Stat, err error) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return s, ErrFormat
	}
	pid, _, ok := nextNumber(text[:open])
	rest := bytes.TrimLeft(text[end+1:], " ")
	if !ok || len(rest) < 2 {
		return s, ErrFormat
	}
	s.PID, s.State = int(pid), rest[0]
	rest = rest[1:]
	// The fields have numbers in the manual page proc_pid_stat(5); the state is number 3.
	for field := 4; field <= 22; field++ {
		var v int64
		if v, rest, ok = nextNumber(rest); !ok {
			return s, ErrFormat
		}
		switch field {
		case 4:
			s.PPID = int(v)
		case 6:
			s.Session = int(v)
		case 10:
			s.MinorFaults = v
		case 11:
			s.ChildrenMinorFaults = v
		case 12:
			s.MajorFaults = v
		case 13:
			s.ChildrenMajorFaults = v
		case 14:
			s.User = time.Duration(v) * tick
		case 15:
			s.System = time.Duration(v) * tick
		case 16:
			s.ChildrenUser = time.Duration(v) * tick
		case 17:
			s.ChildrenSystem = time.Duration(v) * tick
		case 20:
			s.Threads = int(v)
		case 22:
			s.Start = v
		}
	}
	return s, nil
}

// Name returns the name of the program in the line of a stat file, "" if there is none.
func Name(text []byte) string {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return ""
	}
	return string(text[open+1 : end])
}

// Sched is /proc/PID/task/TID/schedstat.
type Sched struct {
	Run, Wait time.Duration // on a processor; ready but waiting for one
	Slices    int64         // how often the thread came onto a processor
}

// ParseSched parses the line of a schedstat file.
func ParseSched(text []byte) (s Sched, err error) {
	run, rest, ok1 := nextNumber(text)
	wait, rest, ok2 := nextNumber(rest)
	slices, _, ok3 := nextNumber(rest)
	if !ok1 || !ok2 || !ok3 {
		return s, ErrFormat
	}
	return Sched{Run: time.Duration(run), Wait: time.Duration(wait), Slices: slices}, nil
}

// IO is /proc/PID/io: of the process, and of its children that it has waited for.
type IO struct {
	ReadChars, WriteChars   int64 // bytes that calls like read and write passed
	ReadCalls, WriteCalls   int64
	ReadStorage, WriteStore int64 // bytes fetched from storage, or to be sent there
}

// Add adds the counters of other processes.
func (io *IO) Add(o IO) {
	io.ReadChars += o.ReadChars
	io.WriteChars += o.WriteChars
	io.ReadCalls += o.ReadCalls
	io.WriteCalls += o.WriteCalls
	io.ReadStorage += o.ReadStorage
	io.WriteStore += o.WriteStore
}

// Since returns by how much the counters have grown; those that are lower now have not.
func (io IO) Since(o IO) IO {
	return IO{
		ReadChars: max(0, io.ReadChars-o.ReadChars), WriteChars: max(0, io.WriteChars-o.WriteChars),
		ReadCalls: max(0, io.ReadCalls-o.ReadCalls), WriteCalls: max(0, io.WriteCalls-o.WriteCalls),
		ReadStorage: max(0, io.ReadStorage-o.ReadStorage), WriteStore: max(0, io.WriteStore-o.WriteStore),
	}
}

// ParseIO parses lines like "rchar: 6976".
func ParseIO(text []byte) (io IO, err error) {
	for len(text) > 0 {
		line := text
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			line, text = text[:end], text[end+1:]
		} else {
			text = nil
		}
		colon := bytes.IndexByte(line, ':')
		if colon < 0 {
			return io, ErrFormat
		}
		v, _, ok := nextNumber(line[colon+1:])
		if !ok {
			return io, ErrFormat
		}
		switch string(line[:colon]) {
		case "rchar":
			io.ReadChars = v
		case "wchar":
			io.WriteChars = v
		case "syscr":
			io.ReadCalls = v
		case "syscw":
			io.WriteCalls = v
		case "read_bytes":
			io.ReadStorage = v
		case "write_bytes":
			io.WriteStore = v
		}
	}
	return io, nil
}

// Call is /proc/PID/task/TID/syscall of a thread that sleeps: the system call that it is in.
type Call struct {
	Number int64 // -1 outside of a call
	Args   [6]uint64
}

// ParseCall parses a line like "0 0x3 0x7f0b0602a000 0x20000 ...". It reports false for a thread that
// runs, of which the kernel does not say where it is.
func ParseCall(text []byte) (c Call, ok bool) {
	if len(text) > 0 && text[0] == '-' {
		c.Number = -1
		return c, true
	}
	if c.Number, text, ok = nextNumber(text); !ok {
		return c, false
	}
	for i := range c.Args {
		if c.Args[i], text, ok = nextHex(text); !ok {
			return c, false
		}
	}
	return c, true
}

// AppendNumbers appends the numbers in a list separated by spaces, as in /proc/PID/task/TID/children.
func AppendNumbers(list []int, text []byte) []int {
	for {
		v, rest, ok := nextNumber(text)
		if !ok {
			return list
		}
		list, text = append(list, int(v)), rest
	}
}

// ParseLastPID returns the number that the newest process or thread got, from
// "0.20 0.18 0.12 1/80 11206", the content of /proc/loadavg.
func ParseLastPID(text []byte) (int, error) {
	text = bytes.TrimRight(text, "\n")
	v, _, ok := nextNumber(text[bytes.LastIndexByte(text, ' ')+1:])
	if !ok {
		return 0, ErrFormat
	}
	return int(v), nil
}

// ParseBusy returns how long all processors have worked since the system's start, and for how long
// others took them away in a virtual machine, from the first line of /proc/stat:
// "cpu USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...".
func ParseBusy(text []byte) (busy, steal time.Duration, err error) {
	rest, ok := bytes.CutPrefix(text, []byte("cpu "))
	if !ok {
		return 0, 0, ErrFormat
	}
	for field := range 8 {
		var v int64
		if v, rest, ok = nextNumber(rest); !ok {
			return 0, 0, ErrFormat
		}
		switch field {
		case 3, 4: // idle
		case 7:
			steal = time.Duration(v) * tick
		default:
			busy += time.Duration(v) * tick
		}
	}
	return busy, steal, nil
}

// ParsePressure returns the total of the line "some avg10=0.00 avg60=0.01 avg300=0.39 total=28417498".
func ParsePressure(text []byte) (time.Duration, error) {
	_, rest, ok := bytes.Cut(text, []byte("total="))
	v, _, isNumber := nextNumber(rest)
	if !ok || !isNumber || !bytes.HasPrefix(text, []byte("some ")) {
		return 0, ErrFormat
	}
	return time.Duration(v) * time.Microsecond, nil
}

// Field returns the value of the first line "name: value", as in cpuinfo, meminfo and PID/status.
func Field(text []byte, name string) (value string, ok bool) {
	for line := range bytes.Lines(text) {
		if key, rest, found := bytes.Cut(line, []byte(":")); found && string(bytes.TrimSpace(key)) == name {
			return string(bytes.TrimSpace(rest)), true
		}
	}
	return "", false
}

// FieldBytes returns a field that is an amount of memory, like "17 kB", in bytes. It is not ok without such a line.
func FieldBytes(text []byte, name string) (n int64, ok bool, err error) {
	value, ok := Field(text, name)
	if !ok {
		return 0, false, nil
	}
	digits, unit := strings.CutSuffix(value, " kB")
	kib, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !unit {
		return 0, true, ErrFormat
	}
	return kib << 10, true, nil
}

// nextNumber returns the decimal number that text begins with after spaces, and what follows it. A
// minus sign makes it negative.
func nextNumber(text []byte) (v int64, rest []byte, ok bool) {
	i := 0
	for i < len(text) && text[i] == ' ' {
		i++
	}
	negative := i < len(text) && text[i] == '-'
	if negative {
		i++
	}
	begin := i
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
		v = v*10 + int64(text[i]-'0')
	}
	if negative {
		v = -v
	}
	return v, text[i:], i > begin
}

// nextHex returns the number written as 0x1f that text begins with after spaces, and what follows it.
func nextHex(text []byte) (v uint64, rest []byte, ok bool) {
	text, ok = bytes.CutPrefix(bytes.TrimLeft(text, " "), []byte("0x"))
	if !ok {
		return 0, text, false
	}
	i := 0
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			v = v<<4 | uint64(c-'a'+10)
		default:
			return v, text[i:], i > 0
		}
	}
	return v, nil, i > 0
}
