package wall

import "maps"

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
		Output: e.OnOutput, Sleeping: e.Asleep, Stopped: e.Stopped, Unclear: e.OnUnknown,
	}
}
