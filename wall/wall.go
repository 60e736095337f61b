// Package wall names what held a command back: which limit of the machine, or which other program, it
// waited for. It watches all processes of the command from outside, by sampling what Linux says about
// them in /proc. The command itself is not changed, not traced and not slowed down.
//
//	cmd := exec.Command("make", "-j8")
//	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
//	report, err := wall.Run(ctx, cmd, wall.Options{})
//	fmt.Println(report) // starting processes: 812 in 4.1 s, ...
//
// # How a wall is found
//
// Some hundred times a second the state of every thread is read: whether it runs, and if not, in which
// function of the kernel it sleeps. Only the way that leads to progress counts. It begins at the
// command and follows who waits for whom: a shell for its child, the reader of a pipe for the processes
// that hold its other end, a thread for others of its process. What the last one on that way does is
// what the command did at that moment. If several ends are reached, one that runs comes first, then one
// that waits for storage, memory, a lock, the network, its input, its output, and a sleeping one last.
//
//	at the end of the way                                            wall
//	asleep and not interruptible, or in a call like fsync            storage
//	a lock of a file; all threads in futex, without a time limit     a lock
//	reading a pipe, terminal or local socket of another program      its input
//	writing to one                                                   its output
//	a call on a socket of the network, or in poll on one             the network
//	nanosleep; poll or futex with a time limit and nothing else      sleeping
//	the kernel reclaims memory for it                                memory
//	running                                                          one of those below
//
// Time in which something runs is judged by counters. The first that applies wins; shares are of that
// time, unless another is named.
//
//	throttled >= 10 % of the time, or a quota used up to >= 95 %     CPU quota
//	had >= 25 % less processor time than it was ready for, while
//	  other programs took as much and no processor was idle          other programs
//	what runs has just begun, or begun another process, >= 25 %,
//	  and took <= 3 ms of processor time for each process            starting processes
//	system time >= 30 % of processor time, and
//	  page faults × what one takes here, but at least 1 µs,
//	  explain >= 40 % of it; of those without reads and writes each
//	  may take 2 µs                                                  page faults
//	system time >= 40 % of processor time, and either reads and
//	  writes of < 2 KiB on average, or < 300 MB for a second of it   system calls
//	threads take turns of <= 3 ms: one runs while others that have
//	  run lately wait in futex >= 50 %, at <= 1.15 processors, and
//	  beside other programs at >= 0.75; within 5 ms of running one
//	  of them ends its turn itself                                   a lock
//	all processors busy >= 50 % of it, with > 1.15 used, or >= 85 %
//	  of their time used                                             all cores
//	otherwise                                                        one core
//
// Whether a busy core computes or waits for main memory is seen by performance counters only, which
// this package does not read: a program that is bound by the bandwidth of memory is named one core or
// all cores, and the report says so.
package wall

import (
	"errors"
	"time"
)

// Wall is what held a command back.
type Wall string

// The walls.
const (
	Storage       Wall = "storage"            // a device, or a file system
	OneCore       Wall = "one core"           // a thread can use no more
	AllCores      Wall = "all cores"          // every processor was busy for the command
	Memory        Wall = "memory"             // there was too little of it
	PageFaults    Wall = "page faults"        // getting pages of memory from the kernel
	SystemCalls   Wall = "system calls"       // entering the kernel, or work there
	Processes     Wall = "starting processes" // fork, exec and exit
	Lock          Wall = "a lock"             // of a file, or between threads
	Input         Wall = "its input"          // another program, or a person, wrote too slowly
	Output        Wall = "its output"         // another program read too slowly
	Network       Wall = "the network"        // or the program at its other end
	Sleeping      Wall = "sleeping"           // the command asked for it
	Quota         Wall = "CPU quota"          // of a control group
	OtherPrograms Wall = "other programs"     // used the processors
	Stopped       Wall = "stopped"            // by a signal, or a debugger
	Unknown       Wall = "not known"          // the evidence does not tell
)

// ErrUnsupported is returned on systems other than Linux.
var ErrUnsupported = errors.New("naming the wall of a command needs Linux: " +
	"no other system says in /proc what each thread of other processes waits for")

// Options says how to watch. The zero value is ready to use.
type Options struct {
	// Orphans follows processes whose parents have ended: meanwhile the calling process becomes their
	// parent (PR_SET_CHILD_SUBREAPER), and reaps them. Those that still run at the end stay its
	// children. Only for programs whose children are all the command's.
	Orphans bool
	// Interval is the least time between two samples; 0 or less means 10 milliseconds. Sampling slows down by
	// itself when it has taken more than half a percent of a processor, and in long runs.
	Interval time.Duration
	// Started is called when the command has started, with its process number. It may be nil.
	Started func(pid int)
}

// Report is what was found.
type Report struct {
	Verdict
	Command []string      `json:"command,omitempty"`
	Began   time.Time     `json:"began"`
	Elapsed time.Duration `json:"elapsed_ns"`
	// User and System are the processor time of all processes of the command.
	User   time.Duration `json:"user_ns"`
	System time.Duration `json:"system_ns"`

	// Walls says for how long each wall held the command back, longest first.
	Walls []Share `json:"walls"`
	// Phases are intervals with different walls, without gaps.
	Phases []Phase `json:"phases"`
	// Timeline is the evidence in equal slots.
	Timeline []Slot `json:"timeline"`

	Machine  Machine  `json:"machine"`
	Evidence Evidence `json:"evidence"` // of the whole run
	// Missing lists evidence that this system did not give, with reasons.
	Missing []string `json:"missing,omitempty"`
	// LeftRunning is how many processes of the command still ran when it had ended.
	LeftRunning int `json:"left_running,omitzero"`
	// Sampler is the processor time that watching took.
	Sampler time.Duration `json:"sampler_ns"`
}

// Verdict is a wall in words.
type Verdict struct {
	Wall     Wall    `json:"wall"`
	Sentence string  `json:"sentence"` // begins with the wall
	Share    float64 `json:"share"`    // of the time
	// Speedup is how many times as fast the command would be at best without this wall; 0 if nothing
	// bounds it. Next is the wall that is then the longest.
	Speedup float64 `json:"speedup,omitzero"`
	Next    Wall    `json:"next,omitempty"`
}

// String returns the sentence.
func (v Verdict) String() string { return v.Sentence }

// Share is how long a wall held the command back.
type Share struct {
	Wall    Wall    `json:"wall"`
	Seconds float64 `json:"seconds"`
	Share   float64 `json:"share"`
}

// Phase is an interval of the run with one wall.
type Phase struct {
	From float64 `json:"from"` // seconds after the start
	To   float64 `json:"to"`
	Verdict
	Evidence Evidence `json:"evidence"`
}

// Slot is one step of the timeline.
type Slot struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	Wall Wall    `json:"wall"`
	Evidence
}

// Machine is where the command ran.
type Machine struct {
	System    string  `json:"system"`
	CPUs      int     `json:"cpus"`                // that the command may use
	QuotaCPUs float64 `json:"quota_cpus,omitzero"` // of its control group, 0 for none
	// FaultSeconds is what the kernel took for a fault of a fresh page, measured after a command that spent much of
	// its time in the kernel; 0 if not measured.
	FaultSeconds float64 `json:"fault_seconds,omitzero"`
}
