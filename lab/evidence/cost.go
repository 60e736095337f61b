package evidence

import (
	"fmt"

	"github.com/thresh-dev/thresh/lab"
)

// Use is how a variant's runs used the processors, on average.
type Use struct {
	Busy   float64 // processors
	Kernel float64 // share of the processor time that is the kernel's
	Faults float64 // minor page faults per GiB, 0 where the runs do not say how many bytes they read
	Item   float64 // seconds of processor time for an item, 0 where the runs do not count any
}

// Use returns how a variant used the processors, the zero value if it was not measured. It is added to
// the evidence.
func (f *Figures) Use(id string, s lab.Setting) (u Use) {
	m := f.Results.Of(f.full(id), s)
	if m == nil {
		return u
	}
	var seconds, user, system, faults, bytes, items float64
	for _, o := range m.Outcomes {
		seconds += o.Seconds
		user += o.UserSeconds
		system += o.SystemSeconds
		faults += float64(o.MinorFaults)
		bytes += float64(o.Bytes)
		items += float64(o.Items)
	}
	if user+system <= 0 || seconds <= 0 {
		return u
	}
	u = Use{Busy: (user + system) / seconds, Kernel: system / (user + system)}
	text := fmt.Sprintf("%s: %.1f processors busy, %.0f %% of that in the kernel", condition(id, s), u.Busy, 100*u.Kernel)
	if bytes > 0 {
		u.Faults = faults / bytes * (1 << 30)
		text += fmt.Sprintf(", %.0f page faults per GiB", u.Faults)
	}
	if items > 0 {
		u.Item = (user + system) / items
	}
	f.Note("%s", text)
	return u
}

// condition names a variant and the state of its input.
func condition(id string, s lab.Setting) string {
	if s.State == lab.Any {
		return id
	}
	return fmt.Sprintf("%s %s", id, s.State)
}

// Memory is what the Go runtime said about memory in a variant's last run.
type Memory struct {
	Item        float64 // bytes allocated for an item
	System      float64 // bytes from the system
	Collections int
}

// Memory returns what the runtime said about memory in a variant's last run; ok is false where it was not
// asked. It is added to the evidence. item is what the variant counts: "line".
func (f *Figures) Memory(id string, s lab.Setting, item string) (memory Memory, ok bool) {
	m := f.Results.Of(f.full(id), s)
	if m == nil {
		return memory, false
	}
	o := m.Outcomes[len(m.Outcomes)-1]
	if o.Memory == nil || o.Items == 0 {
		return memory, false
	}
	memory = Memory{float64(o.Memory.TotalAllocBytes) / float64(o.Items), float64(o.Memory.SysBytes),
		int(o.Memory.Collections)}
	f.Note("%s: %.0f bytes allocated a %s, %s from the system, %d collections",
		id, memory.Item, item, Size(memory.System), memory.Collections)
	return memory, true
}
