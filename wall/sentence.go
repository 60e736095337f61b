package wall

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
)

// sentence says a verdict for people: the wall, its key number, and what would be gained without it.
func sentence(e *Evidence, v Verdict, m Machine) string {
	return string(v.Wall) + ": " + keyNumber(e, v, m) + gain(v)
}

func keyNumber(e *Evidence, v Verdict, m Machine) string {
	share, whole := percent(v.Share), duration(e.Seconds)
	switch v.Wall {
	case Storage:
		if rate := float64(e.ReadStorage+e.WriteStorage) / max(e.Seconds, 1e-9); rate >= 1e4 {
			return fmt.Sprintf("waited for it %s of %s, at %s/s", share, whole, bytesize.Decimal(rate))
		}
		return fmt.Sprintf("waited for it %s of %s%s", share, whole, e.function())
	case OneCore:
		return oneCore(e, share, whole, m)
	case AllCores:
		return fmt.Sprintf("%s of %s busy for %s of %s%s", number(e.busy(m)), numeral.Count(m.CPUs, "processor"),
			share, whole, computing)
	case Memory:
		return fmt.Sprintf("waited %s of %s because too little was free", share, whole)
	case PageFaults:
		faults := e.MinorFaults + e.MajorFaults
		return fmt.Sprintf("%s in %s, and %s of the processor time was spent in the kernel", numeral.Grouped(faults),
			whole, percent(e.System/max(e.User+e.System, 1e-9)))
	case SystemCalls:
		return systemCalls(e, whole)
	case Processes:
		each := duration(e.Running / float64(max(e.Forks, 1)))
		return fmt.Sprintf("up to %s in %s, at least %s each", numeral.Grouped(e.Forks), whole, each)
	case Lock:
		if e.OnLock > e.Turns {
			return fmt.Sprintf("waited for it %s of %s%s", share, whole, e.function())
		}
		return fmt.Sprintf("threads took turns %s of %s: %s of %s were busy", share, whole, number(e.cpus()),
			numeral.Count(m.CPUs, "processor"))
	case Input:
		return fmt.Sprintf("waited for its writer %s of %s", share, whole)
	case Output:
		return fmt.Sprintf("waited for its reader %s of %s", share, whole)
	case Network:
		what := longestOf(e.Connections)
		if what == "" {
			what = "it, or for the program at its other end,"
		}
		return fmt.Sprintf("waited for %s %s of %s", what, share, whole)
	case Sleeping:
		return fmt.Sprintf("%s of %s", share, whole)
	case Quota:
		if m.QuotaCPUs > 0 {
			return fmt.Sprintf("a control group allows %s of %s, and stopped it %s in %s", number(m.QuotaCPUs),
				numeral.Count(m.CPUs, "processor"), duration(e.Throttled), whole)
		}
		return fmt.Sprintf("a control group stopped it %s in %s", duration(e.Throttled), whole)
	case OtherPrograms:
		return fmt.Sprintf("they used %s of %s, and it waited %s for a processor in %s",
			number(e.OtherCPU/max(e.Seconds, 1e-9)), numeral.Count(m.CPUs, "processor"), duration(e.queue()), whole)
	case Stopped:
		return fmt.Sprintf("by a signal or a debugger, %s of %s", share, whole)
	}
	return fmt.Sprintf("what it waited for %s of %s%s", share, whole, e.function())
}

// computing is what a busy processor does, as far as it can be seen.
const computing = " (computing, or waiting for memory)"

func oneCore(e *Evidence, share, whole string, m Machine) string {
	text := fmt.Sprintf("%s of %s busy for %s of %s", number(e.busy(m)), numeral.Count(m.CPUs, "processor"), share, whole)
	if system := e.System / max(e.User+e.System, 1e-9); system >= mostlySystem {
		moved := float64(max(e.ReadChars, e.WriteChars)) / max(e.Seconds, 1e-9)
		text += fmt.Sprintf(", mostly in the kernel, for reads and writes of %s/s", bytesize.Decimal(moved))
	} else {
		text += computing
	}
	return text
}

// busy returns how many processors were busy for the command while it ran.
func (e *Evidence) busy(m Machine) float64 {
	return min((e.User+e.System)/max(e.Running, 1e-9), float64(max(m.CPUs, 1)))
}

func systemCalls(e *Evidence, whole string) string {
	calls := e.ReadCalls + e.WriteCalls
	system := percent(e.System / max(e.User+e.System, 1e-9))
	if float64(calls)*callCost >= copiesShare*e.System {
		return fmt.Sprintf("%s reads and writes of %s on average in %s; %s of the processor time was spent in the kernel",
			numeral.Grouped(calls), bytesize.Decimal(float64(e.ReadChars+e.WriteChars)/float64(max(calls, 1))),
			whole, system)
	}
	return fmt.Sprintf("%s of the processor time in %s was spent in the kernel, not copying",
		system, whole)
}

// gain says what would be gained without the wall.
func gain(v Verdict) string {
	if v.Speedup == 0 || v.Speedup < 1.05 {
		return ""
	}
	text := fmt.Sprintf("; at most %s times as fast", number(v.Speedup))
	switch v.Wall {
	case OneCore:
		text += " on all"
	case Lock:
	default:
		text += " without"
	}
	if v.Next != "" {
		text += ": then " + string(v.Next) + " is next"
	}
	return text
}

// function names the function of the kernel in which the command waited longest.
func (e *Evidence) function() string {
	if len(e.Functions) == 0 {
		return ""
	}
	return " (" + longestOf(e.Functions) + ")"
}

// longestOf returns the name with the most seconds, "" if there is none.
func longestOf(seconds map[string]float64) string {
	if len(seconds) == 0 {
		return ""
	}
	return slices.MaxFunc(slices.Sorted(maps.Keys(seconds)), func(a, b string) int {
		return cmp.Compare(seconds[a], seconds[b])
	})
}

// percent returns a share without decimals, and never 100 % for less than all.
func percent(share float64) string {
	p := math.Round(share * 100)
	if share < 1 {
		p = min(p, 99)
	}
	return fmt.Sprintf("%.0f %%", p)
}

// number returns two or three digits.
func number(v float64) string {
	if v >= 10 {
		return fmt.Sprintf("%.0f", v)
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// duration returns seconds with a fitting unit.
func duration(seconds float64) string {
	switch {
	case seconds >= 10:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds >= 1:
		return fmt.Sprintf("%.2f s", seconds)
	case seconds >= 1e-2:
		return fmt.Sprintf("%.0f ms", seconds*1e3)
	case seconds >= 1e-3:
		return fmt.Sprintf("%.1f ms", seconds*1e3)
	}
	return fmt.Sprintf("%.0f µs", seconds*1e6)
}

// Evidence is what was seen and counted in an interval. All of it adds up: the evidence of two
// neighbouring intervals together is their sum (see Add), except for the two maxima.
type Evidence struct {
	Seconds float64 `json:"seconds"`

	// Seconds in which the way to progress ended in these states. Their sum is Seconds.
	Running    float64 `json:"running,omitzero"`
	OnStorage  float64 `json:"on_storage,omitzero"`
	OnMemory   float64 `json:"on_memory,omitzero"`
	OnLock     float64 `json:"on_lock,omitzero"`
	OnNetwork  float64 `json:"on_network,omitzero"`
	OnInput    float64 `json:"on_input,omitzero"`
	OnOutput   float64 `json:"on_output,omitzero"`
	Asleep     float64 `json:"asleep,omitzero"`
	Stopped    float64 `json:"stopped,omitzero"`
	OnUnknown  float64 `json:"on_unknown,omitzero"`
	Ready      float64 `json:"ready,omitzero"`       // part of Running: with a thread on a processor, or ready for one
	NewProcess float64 `json:"new_process,omitzero"` // part of Running: in a process that had just begun, or begun another
	Turns      float64 `json:"turns,omitzero"`       // part of Running: while another active thread waited for it
	AllBusy    float64 `json:"all_busy,omitzero"`    // part of Running: with as many threads ready as processors

	// Processor time in seconds, of the command's processes.
	User   float64 `json:"user,omitzero"`
	System float64 `json:"system,omitzero"`
	// Queue is how long its threads were ready and waited for a processor, summed over threads.
	Queue float64 `json:"queue,omitzero"`
	// OtherCPU is the processor time of all other programs, and what the host of a virtual machine took.
	OtherCPU  float64 `json:"other_cpu,omitzero"`
	Throttled float64 `json:"throttled,omitzero"` // by a quota, summed over processors

	Forks       int64 `json:"forks,omitzero"` // processes and threads started on the whole machine
	MinorFaults int64 `json:"minor_faults,omitzero"`
	MajorFaults int64 `json:"major_faults,omitzero"`
	HugeFaults  int64 `json:"huge_faults,omitzero"` // on the whole machine, each with a huge page

	ReadChars    int64 `json:"read_chars,omitzero"` // bytes passed by calls like read and write
	WriteChars   int64 `json:"write_chars,omitzero"`
	ReadCalls    int64 `json:"read_calls,omitzero"`
	WriteCalls   int64 `json:"write_calls,omitzero"`
	ReadStorage  int64 `json:"read_storage,omitzero"` // bytes from and to devices
	WriteStorage int64 `json:"write_storage,omitzero"`

	// Seconds in which some process of the system waited for memory.
	PressureMemory float64 `json:"pressure_memory,omitzero"`

	ProcessesMax int `json:"processes_max,omitzero"`
	ThreadsMax   int `json:"threads_max,omitzero"`

	Samples int `json:"samples,omitzero"`
	// Functions of the kernel in which the way to progress ended, in seconds.
	Functions map[string]float64 `json:"functions,omitempty"`
	// Connections that were waited for, part of OnNetwork, in seconds: "192.0.2.1:443 to send"; "... to read" if
	// it has not read all that was sent, or its window stopped the sender; "the way to ..." if only the network did.
	Connections map[string]float64 `json:"connections,omitempty"`
}

// Add adds the evidence of another interval.
func (e *Evidence) Add(o Evidence) {
	for _, sum := range [...]struct {
		into *float64
		more float64
	}{
		{&e.Seconds, o.Seconds}, {&e.Running, o.Running}, {&e.OnStorage, o.OnStorage}, {&e.OnMemory, o.OnMemory},
		{&e.OnLock, o.OnLock}, {&e.OnNetwork, o.OnNetwork}, {&e.OnInput, o.OnInput}, {&e.OnOutput, o.OnOutput},
		{&e.Asleep, o.Asleep}, {&e.Stopped, o.Stopped}, {&e.OnUnknown, o.OnUnknown},
		{&e.Ready, o.Ready}, {&e.NewProcess, o.NewProcess},
		{&e.Turns, o.Turns}, {&e.AllBusy, o.AllBusy}, {&e.User, o.User}, {&e.System, o.System}, {&e.Queue, o.Queue},
		{&e.OtherCPU, o.OtherCPU}, {&e.Throttled, o.Throttled}, {&e.PressureMemory, o.PressureMemory},
	} {
		*sum.into += sum.more
	}
	for _, sum := range [...]struct {
		into *int64
		more int64
	}{
		{&e.Forks, o.Forks}, {&e.MinorFaults, o.MinorFaults}, {&e.MajorFaults, o.MajorFaults},
		{&e.HugeFaults, o.HugeFaults},
		{&e.ReadChars, o.ReadChars}, {&e.WriteChars, o.WriteChars}, {&e.ReadCalls, o.ReadCalls},
		{&e.WriteCalls, o.WriteCalls}, {&e.ReadStorage, o.ReadStorage}, {&e.WriteStorage, o.WriteStorage},
	} {
		*sum.into += sum.more
	}
	e.ProcessesMax = max(e.ProcessesMax, o.ProcessesMax)
	e.ThreadsMax = max(e.ThreadsMax, o.ThreadsMax)
	e.Samples += o.Samples
	e.Functions = sumOf(e.Functions, o.Functions)
	e.Connections = sumOf(e.Connections, o.Connections)
}

// sumOf returns the sums of seconds by name. It changes neither map: they may belong to other evidence as well.
func sumOf(a, b map[string]float64) map[string]float64 {
	if len(b) == 0 {
		return a
	}
	sum := maps.Clone(a)
	if sum == nil {
		sum = map[string]float64{}
	}
	for name, seconds := range b {
		sum[name] += seconds
	}
	return sum
}

// queue estimates how long the command was ready and waited for a processor. Of short-lived processes
// the system does not tell; they show in time with something ready that is not processor time.
func (e *Evidence) queue() float64 { return max(e.Queue, e.Ready-e.User-e.System) }

// waits returns the time of each state in which the command waited.
func (e *Evidence) waits() map[Wall]float64 {
	return map[Wall]float64{
		Storage: e.OnStorage, Memory: e.OnMemory, Lock: e.OnLock, Network: e.OnNetwork, Input: e.OnInput,
		Output: e.OnOutput, Sleeping: e.Asleep, Stopped: e.Stopped, Unknown: e.OnUnknown,
	}
}
