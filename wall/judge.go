package wall

import (
	"cmp"
	"maps"
	"slices"
)

// The thresholds of the table in the documentation of the package.
const (
	elapsedMin      = 0.02 // seconds
	shortRun        = 0.25 // seconds: the counters of processor time have ticks of 10 ms
	shortBusy       = 0.5
	throttledShare  = 0.10
	quotaShare      = 0.95
	othersShare     = 0.25
	othersIdleShare = 0.20 // of the machine, at most
	freshShare      = 0.25
	processCost     = 3e-3 // seconds of processor time: fork, exec and exit of a small program
	faultsSystem    = 0.30
	faultsShare     = 0.40
	callsSystem     = 0.40 // some virtual machines count entering the kernel as the program's own time
	mostlySystem    = 0.50
	copiesShare     = 0.30
	movedRate       = 300e6 // bytes for a second of system time
	turnsShare      = 0.50
	turnsCPUsMax    = 1.15
	turnsCPUsMin    = 0.75 // beside others, who make turns short as well
	allBusyShare    = 0.50
	allUsedShare    = 0.85
	pressureShare   = 0.25
	storageRate     = 5e6 // bytes for a second of waiting
	smallCallBytes  = 2048
)

// Assumed costs of the kernel's work, in seconds. Only their order of magnitude matters.
const (
	faultCost    = 1e-6 // at least; it is measured where it matters
	faultCostMax = 5e-6
	// Of a fault when little else was done, as several pages of a file can be mapped at once.
	faultStormCost = 2e-6
	hugeFaultCost  = 200e-6 // clearing 2 MiB
	callCost       = 0.3e-6
)

// attribute divides the seconds of a stretch among walls. Time in which something ran belongs to one
// wall; time in which the command waited to what it waited for.
func attribute(e *Evidence, m Machine) map[Wall]float64 {
	walls := e.waits()
	short := e.shortWaits(m)
	walls[Storage] += short
	walls[runningWall(e, m)] += e.Running - short
	for w, seconds := range walls {
		if seconds <= 0 {
			delete(walls, w)
		}
	}
	return walls
}

// shortWaits estimates the time in which a thread was seen as ready that waited for storage. On a fast
// device a wait ends while its thread is looked at, so what is neither processor time nor waiting for a
// processor is such waits, if others were seen and no other program explains it. They are no longer than
// those that were seen, unless a device has moved bytes meanwhile.
func (e *Evidence) shortWaits(m Machine) float64 {
	if e.othersBusy(m) || e.OnStorage == 0 {
		return 0
	}
	short := max(0, e.Ready-e.User-e.System-e.Queue)
	if float64(e.ReadStorage+e.WriteStorage) >= storageRate*short {
		return short
	}
	return min(short, e.OnStorage)
}

// othersBusy reports whether other programs left no processor for the command.
func (e *Evidence) othersBusy(m Machine) bool {
	all := float64(max(m.CPUs, 1)) * e.Seconds
	idle := max(0, all-e.User-e.System-e.OtherCPU)
	return e.OtherCPU >= othersShare*e.Seconds && idle <= othersIdleShare*all
}

// runningWall returns the wall of the time in which something ran.
func runningWall(e *Evidence, m Machine) Wall {
	seconds, cpu := max(e.Seconds, 1e-9), e.User+e.System
	ran := max(e.Running, 1e-9)
	cpus := float64(max(m.CPUs, 1))
	system := e.System / max(cpu, 1e-9)
	switch {
	case e.Throttled >= throttledShare*seconds,
		m.QuotaCPUs > 0 && m.QuotaCPUs < cpus && e.Throttled > 0 && cpu >= quotaShare*m.QuotaCPUs*seconds:
		return Quota
	case e.lost(m) >= othersShare && e.othersBusy(m):
		return OtherPrograms
	case e.PressureMemory >= pressureShare*seconds:
		return Memory
	case e.NewProcess >= freshShare*ran && cpu <= float64(e.Forks)*processCost:
		return Processes
	case system >= faultsSystem && (e.faultTime(m) >= faultsShare*e.System || e.faultStorm()):
		return PageFaults
	case system >= callsSystem && e.manyCalls():
		return SystemCalls
	case e.Turns >= turnsShare*ran && cpu <= turnsCPUsMax*seconds &&
		(cpu >= turnsCPUsMin*ran || !e.othersBusy(m)):
		return Lock
	case m.CPUs > 1 && (e.AllBusy >= allBusyShare*ran && cpu > turnsCPUsMax*ran || cpu >= allUsedShare*cpus*ran):
		return AllCores
	}
	return OneCore
}

// lost returns for which share of the time with something that runs it did not run, as it waited for a processor.
// Processor time tells, not the sum of the waits: of threads that take turns one can wait only while another one runs.
func (e *Evidence) lost(m Machine) float64 {
	ran, cpu := max(e.Running, 1e-9), e.User+e.System
	could := 1.0
	if e.Turns < turnsShare*ran {
		could = min(max(1, (cpu+e.queue())/ran), float64(max(m.CPUs, 1)))
	}
	return min(max(0, 1-cpu/(could*ran)), e.queue()/(could*ran))
}

// faultStorm reports whether there is nearly nothing but page faults for which the kernel can have worked.
func (e *Evidence) faultStorm() bool {
	faults := e.MinorFaults + e.MajorFaults
	return float64(faults)*faultStormCost >= faultsShare*e.System && e.ReadCalls+e.WriteCalls+100*e.Forks < faults/10
}

// mayBeFaults reports whether it depends on the cost of a page fault whether page faults are the wall.
func (e *Evidence) mayBeFaults() bool {
	return e.System > 0 && float64(e.MinorFaults+e.MajorFaults)*faultCostMax >= faultsShare*e.System
}

// faultTime estimates the seconds that page faults took. Huge pages are counted for the whole machine,
// so they count as far as the command worked in the kernel.
func (e *Evidence) faultTime(m Machine) float64 {
	small := float64(e.MinorFaults+e.MajorFaults) * max(m.FaultSeconds, faultCost)
	return small + min(float64(e.HugeFaults)*hugeFaultCost, e.System)
}

// manyCalls reports whether system time is spent on entering the kernel, or on work there that is not
// for the bytes that calls read and write.
func (e *Evidence) manyCalls() bool {
	calls, moved := e.ReadCalls+e.WriteCalls, e.ReadChars+e.WriteChars
	if small := calls > 0 && moved < calls*smallCallBytes; small {
		return true
	}
	return float64(moved) < movedRate*e.System
}

// cpus returns how many processors' worth of time the command used while it ran.
func (e *Evidence) cpus() float64 { return (e.User + e.System) / max(e.Seconds, 1e-9) }

// shares returns the seconds as a list, longest first.
func shares(walls map[Wall]float64) []Share {
	var total float64
	for _, seconds := range walls {
		total += seconds
	}
	list := make([]Share, 0, len(walls))
	for _, w := range slices.Sorted(maps.Keys(walls)) {
		list = append(list, Share{Wall: w, Seconds: walls[w], Share: walls[w] / max(total, 1e-9)})
	}
	slices.SortStableFunc(list, func(a, b Share) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return list
}

// judge returns the verdict about a stretch with this evidence and these shares.
func judge(e *Evidence, list []Share, m Machine) Verdict {
	if e.Seconds < elapsedMin || len(list) == 0 {
		return Verdict{Wall: Unknown, Sentence: string(Unknown) + ": it took " + duration(e.Seconds) + ", too short to tell"}
	}
	v := Verdict{Wall: list[0].Wall, Share: list[0].Share}
	for _, s := range list[1:] {
		if s.Wall != Unknown {
			v.Next = s.Wall
			break
		}
	}
	if busy := e.User + e.System; v.Wall == OneCore && e.Running < shortRun && busy < shortBusy*e.Running {
		return Verdict{Wall: Unknown, Sentence: string(Unknown) + ": it took " + duration(e.Seconds) +
			", too short to tell beside others"}
	}
	v.Speedup = speedup(v.Wall, v.Share, m)
	if lost := e.lost(m); v.Wall == OtherPrograms && v.Share*lost < 1-speedupRestMin {
		v.Speedup = 1 / (1 - v.Share*lost)
	}
	v.Sentence = sentence(e, v, m)
	return v
}

// speedup returns Amdahl's bound: how many times as fast a run would be whose part with this wall took
// no time, or for one core, as little as all processors allow. It returns 0 if nothing bounds it.
func speedup(w Wall, share float64, m Machine) float64 {
	rest := 1 - share
	switch w {
	case OneCore, Lock:
		if m.CPUs <= 1 {
			return 0
		}
		rest += share / float64(m.CPUs)
	case AllCores, Stopped, Unknown:
		return 0
	case OtherPrograms, Quota:
		return 0 // the evidence tells
	}
	if rest < speedupRestMin {
		return 0
	}
	return 1 / rest
}

// speedupRestMin is the share of the time below which the rest is no bound worth a number.
const speedupRestMin = 0.02
