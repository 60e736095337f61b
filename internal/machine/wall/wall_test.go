package wall

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/receipt"
)

func rateFigure(v float64) limits.Figure {
	return limits.Figure{Median: v, Spread: 0.05, Unit: "GB/s", Samples: 20}
}

func cost(v float64) limits.Figure {
	return limits.Figure{Median: v, Spread: 0.05, Unit: "ns", Samples: 20}
}

// machine is one with 4 workers.
func machine() *limits.Ceilings {
	return &limits.Ceilings{
		Identity:  limits.Identity{MaxProcs: 4},
		MemoryOne: rateFigure(20), MemoryAll: rateFigure(50),
		CopyOne: rateFigure(10), CopyAll: rateFigure(30),
		MappedOne: rateFigure(15), MappedAll: rateFigure(40),
		FaultSmall: cost(1000), FaultHuge: cost(2000), FaultSmallBytes: 65536,
		DirectRead: rateFigure(2), ColdRead: rateFigure(1.5),
	}
}

const gb = 1_000_000_000

// base is a second of four workers that scan 10 GB of mapped memory and are busy with it.
func base() Counters {
	return Counters{
		Wall: time.Second, Workers: 4, Scanned: 10 * gb,
		User: 3800 * time.Millisecond, System: 100 * time.Millisecond,
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * 1e9) }

type situation struct {
	c        Counters
	p        Probes
	ceilings *limits.Ceilings
}

var situations = []struct {
	name     string
	change   func(s *situation)
	wall     receipt.Wall
	fraction float64 // 0 for none
	says     string  // a part of the sentence or the evidence
	flags    string  // "exceeded", "undecided"
}{
	{"start-up only", func(s *situation) { s.c.Wall = 19 * time.Millisecond },
		receipt.WallTooSmall, 0, "19ms", ""},
	{"even when it waited for input", func(s *situation) {
		s.c.Wall, s.c.InputWait = seconds(0.01), seconds(0.009)
	}, receipt.WallTooSmall, 0, "too small", ""},
	{"short, but enough for a rate", func(s *situation) {
		s.c.Wall, s.c.Scanned = seconds(0.02), gb*9/10
		s.c.User, s.c.System = seconds(0.07), 0
	}, receipt.WallMemory, 0.9, "split into user and kernel time is coarse", ""},
	{"a slow writer", func(s *situation) {
		s.c.InputWait, s.c.Scanned, s.c.User = seconds(0.9), gb/5, seconds(0.1)
	}, receipt.WallSlowInput, 0, "0.200 GB/s, and the run waited for it 90 % of the time", ""},
	{"a decompressor", func(s *situation) {
		s.c.InputWait, s.c.Scanned, s.c.User, s.c.Decompressed = seconds(0.9), gb/5, seconds(0.1), true
	}, receipt.WallDecompression, 0, "0.200 GB/s, and the run waited for it 90 % of the time", ""},
	{"a slow reader", func(s *situation) { s.c.OutputWait = seconds(0.5) },
		receipt.WallOutput, 0, "50 %", ""},
	{"both wait, the reader longer", func(s *situation) {
		s.c.InputWait, s.c.OutputWait = seconds(0.41), seconds(0.5)
	}, receipt.WallOutput, 0, "50 %", ""},
	{"both wait, the writer longer", func(s *situation) {
		s.c.InputWait, s.c.OutputWait = seconds(0.5), seconds(0.41)
	}, receipt.WallSlowInput, 0, "50 %", ""},
	{"some waiting is no wall", func(s *situation) {
		s.c.InputWait, s.c.Scanned = seconds(0.39), 45*gb
	}, receipt.WallMemory, 0.9, "", ""},
	{"throttled", func(s *situation) {
		s.c.User, s.c.System = seconds(0.19), seconds(0.01)
		s.c.Throttled, s.c.ThrottledPeriods, s.c.QuotaCPUs = seconds(1.5), 10, 0.2
	}, receipt.WallQuota, 1, "0.200 of 0.200 processors", ""},
	{"throttled, and waiting in the run queue for it", func(s *situation) {
		s.c.User, s.c.RunQueue = seconds(1), seconds(2.8)
		s.c.Throttled, s.c.ThrottledPeriods, s.c.QuotaCPUs = seconds(2.8), 10, 1.25
	}, receipt.WallQuota, 0.88, "throttled in 10 periods", ""},
	{"throttled by a group whose quota is not seen", func(s *situation) {
		s.c.Throttled, s.c.ThrottledPeriods = seconds(1), 5
	}, receipt.WallQuota, 0, "25 % of its time", ""},
	{"the quota is used up, though little was throttled", func(s *situation) {
		s.c.User, s.c.System, s.c.QuotaCPUs = seconds(1.95), 0, 2
		s.c.Throttled, s.c.ThrottledPeriods = seconds(0.1), 8
	}, receipt.WallQuota, 0.975, "", ""},
	{"a quota that leaves enough", func(s *situation) {
		s.c.QuotaCPUs, s.c.Scanned, s.c.ThrottledPeriods = 4, 45*gb, 1
	}, receipt.WallMemory, 0.9, "", ""},
	{"direct reads, the workers wait", func(s *situation) {
		s.c.ReadStorage, s.c.ReadChars, s.c.Scanned = 19*gb/10, 19*gb/10, 19*gb/10
		s.c.User, s.c.System = seconds(0.1), seconds(0.3)
	}, receipt.WallStorage, 0.95, "1.90 of 2.00 GB/s, the device's best rate (95 %)", ""},
	{"buffered reads keep the kernel busy, but the device is at its best", func(s *situation) {
		s.c.ReadStorage, s.c.ReadChars, s.c.Scanned = 18*gb/10, 18*gb/10, 18*gb/10
		s.c.User, s.c.System = seconds(0.4), seconds(3)
	}, receipt.WallStorage, 0.9, "", ""},
	{"buffered reads that also wait for a processor", func(s *situation) {
		s.c.ReadStorage, s.c.ReadChars, s.c.Scanned = gb, gb, gb
		s.c.User, s.c.System, s.c.RunQueue = 0, seconds(1.8), seconds(0.9)
	}, receipt.WallStorage, 0.5, "", ""},
	{"buffered reads that wait for a processor most", func(s *situation) {
		s.c.ReadStorage, s.c.ReadChars, s.c.Scanned = gb, gb, gb
		s.c.User, s.c.System, s.c.RunQueue = 0, seconds(1.8), seconds(1.3)
	}, receipt.WallContention, 0, "", "undecided"},
	{"buffered reads that wait for a processor most, though the page cache would help more", func(s *situation) {
		s.c.ReadStorage, s.c.ReadChars, s.c.Scanned = gb, gb, gb
		s.c.User, s.c.System, s.c.RunQueue = 0, seconds(1.8), seconds(1.3)
		s.p = Probes{Cached: 40, Touch: 30, Read: 10}
	}, receipt.WallStorage, 0.5, "100 % of the bytes were fetched", ""},
	{"buffered reads whose function waits for a processor", func(s *situation) {
		s.c.ReadStorage, s.c.ReadChars, s.c.Scanned = gb, gb, gb
		s.c.User, s.c.System, s.c.RunQueue = seconds(1.2), seconds(0.8), seconds(1.8)
		s.p = Probes{Cached: 0.45, Touch: 30, Read: 10}
	}, receipt.WallContention, 0, "45 %", ""},
	{"half of the bytes fetched, and more waiting for a processor than that costs", func(s *situation) {
		s.c.ReadStorage, s.c.ReadChars, s.c.Scanned = gb, 2*gb, 2*gb
		s.c.User, s.c.System, s.c.RunQueue = seconds(0.3), seconds(0.6), seconds(3)
		s.p = Probes{Cached: 40, Touch: 30, Read: 6}
	}, receipt.WallContention, 0, "75 %", ""},
	{"faster storage than was measured", func(s *situation) {
		s.c.ReadStorage, s.c.Scanned = 3*gb, 3*gb
		s.c.User, s.c.System = seconds(0.4), seconds(1)
	}, receipt.WallStorage, 0, "more than 2.00", "exceeded"},
	{"a little faster is all of it", func(s *situation) {
		s.c.ReadStorage, s.c.Scanned = 21*gb/10, 21*gb/10
		s.c.User, s.c.System = seconds(0.4), seconds(1)
	}, receipt.WallStorage, 1, "(100 %)", ""},
	{"only buffered reads were measured", func(s *situation) {
		s.ceilings.DirectRead = limits.Figure{}
		s.c.ReadStorage, s.c.Scanned, s.c.User = gb*12/10, gb*12/10, seconds(0.4)
	}, receipt.WallStorage, 0.8, "of 1.50", ""},
	{"storage without ceilings", func(s *situation) {
		s.ceilings = nil
		s.c.ReadStorage, s.c.Scanned, s.c.User = gb, gb, seconds(0.4)
	}, receipt.WallStorage, 0, "limits have not been measured", ""},
	{"a tenth from storage does not hold it up", func(s *situation) {
		s.c.ReadStorage, s.c.Scanned = gb/2, 45*gb
	}, receipt.WallMemory, 0.9, "", ""},
	{"waiting without storage reads, the system under I/O pressure", func(s *situation) {
		s.c.User, s.c.PressureIO = seconds(0.4), seconds(0.7)
	}, receipt.WallStorage, 0, "70 % of the time under I/O pressure", ""},
	{"waiting for an unknown reason", func(s *situation) { s.c.User = seconds(0.4) },
		receipt.WallUnclear, 0, "idle for 88 %", ""},
	{"others use the processors", func(s *situation) {
		s.c.User, s.c.RunQueue = seconds(2.4), seconds(1.4)
	}, receipt.WallContention, 0, "35 %", ""},
	{"threads other than the workers wait, and the workers lose nothing", func(s *situation) {
		s.c.Scanned, s.c.User, s.c.RunQueue = 45*gb, seconds(3.9), seconds(2)
	}, receipt.WallMemory, 0.9, "waiting for a processor 0 %", ""},
	{"copies", func(s *situation) {
		s.c.ReadChars, s.c.Scanned = 24*gb, 24*gb
		s.c.User, s.c.System = seconds(0.9), seconds(3)
	}, receipt.WallKernelCopy, 0.8, "24.0 of 30.0 GB/s, this machine's best rate for copies", ""},
	{"copies by two workers, whose best is twice that of one", func(s *situation) {
		s.c.Workers, s.c.ReadChars, s.c.Scanned = 2, 18*gb, 18*gb
		s.c.User, s.c.System = seconds(0.3), seconds(1.6)
	}, receipt.WallKernelCopy, 0.9, "18.0 of 20.0", ""},
	{"copies without ceilings", func(s *situation) {
		s.ceilings = nil
		s.c.ReadChars, s.c.Scanned = 24*gb, 24*gb
		s.c.User, s.c.System = seconds(0.9), seconds(3)
	}, receipt.WallKernelCopy, 0, "24.0 GB/s", ""},
	{"copies against a noisy ceiling", func(s *situation) {
		s.ceilings.CopyAll.Noisy = true
		s.c.ReadChars, s.c.Scanned = 24*gb, 24*gb
		s.c.User, s.c.System = seconds(0.9), seconds(3)
	}, receipt.WallKernelCopy, 0, "noisy", ""},
	{"copies against stale ceilings", func(s *situation) {
		s.ceilings.StaleReason = "they are 9 days old"
		s.c.ReadChars, s.c.Scanned = 24*gb, 24*gb
		s.c.User, s.c.System = seconds(0.9), seconds(3)
	}, receipt.WallKernelCopy, 0, "stale: they are 9 days old", ""},
	{"faults that map 64 KiB each", func(s *situation) {
		s.c.MinorFaults, s.c.Scanned = 3_000_000, 3_000_000<<16
		s.c.User, s.c.System = seconds(0.8), seconds(3)
		s.ceilings.MemoryAll = rateFigure(500)
	}, receipt.WallPageFaults, 0.75, "64.0 KiB, took 75 % of the time, at 197 GB/s; with large folios memory would allow 500 GB/s", ""},
	{"faults of single pages are unlike those measured", func(s *situation) {
		s.c.MinorFaults, s.c.Scanned = 3_000_000, 3_000_000<<12
		s.c.User, s.c.System = seconds(0.8), seconds(3)
	}, receipt.WallPageFaults, 0.75, "one for every 4.00 KiB", ""},
	{"faults without ceilings", func(s *situation) {
		s.ceilings = nil
		s.c.MinorFaults, s.c.User, s.c.System = 2_000_000, seconds(0.8), seconds(3)
	}, receipt.WallPageFaults, 0, "page faults: 2000000, one for every 4.88 KiB, took up to 75 %", ""},
	{"copies, with some faults beside", func(s *situation) {
		s.c.ReadChars, s.c.Scanned, s.c.MinorFaults = 24*gb, 24*gb, 200_000
		s.c.User, s.c.System = seconds(0.9), seconds(3)
	}, receipt.WallKernelCopy, 0.8, "faults 7 %", ""},
	{"the kernel is busy with something else", func(s *situation) {
		s.c.User, s.c.System = seconds(0.8), seconds(3)
	}, receipt.WallUnclear, 0, "something other than copies", "undecided"},
	{"the same after probes that show cheap mapping", func(s *situation) {
		s.c.User, s.c.System = seconds(0.8), seconds(3)
		s.p = Probes{Cached: 40, Touch: 45, Read: 30, Populate: 200}
	}, receipt.WallUnclear, 0, "something other than copies", ""},
	{"probes show that mapping is slow", func(s *situation) {
		s.c.User, s.c.System, s.c.MinorFaults = seconds(0.8), seconds(3), 1_000_000
		s.p = Probes{Cached: 40, Touch: 45, Read: 30, Populate: 5}
	}, receipt.WallPageFaults, 0.5, "faults 67 %", ""},
	{"faults, though memory was measured to be no faster", func(s *situation) {
		s.c.MinorFaults, s.c.Scanned = 1_500_000, 60*gb
		s.c.User, s.c.System = seconds(0.8), seconds(3)
	}, receipt.WallPageFaults, 0.375, "one for every 39.1 KiB, took 38 % of the time, at 60.0 GB/s", "undecided"},
	{"writing the results", func(s *situation) {
		s.c.WriteChars, s.c.User, s.c.System = 24*gb, seconds(0.8), seconds(3)
	}, receipt.WallOutput, 0, "output: the kernel needed 75 % of the time to write the results, 24.0 GB/s", ""},
	{"reading more than writing", func(s *situation) {
		s.c.ReadChars, s.c.WriteChars, s.c.User, s.c.System = 24*gb, 12*gb, seconds(0.8), seconds(3)
	}, receipt.WallKernelCopy, 0.8, "writing the output 40 %", ""},
	{"a stream that is copied, not waited for", func(s *situation) {
		s.c.Workers, s.c.InputWait, s.c.ReadChars, s.c.Scanned = 1, seconds(0.9), 8*gb, 8*gb
		s.c.User, s.c.System = seconds(0.1), seconds(0.88)
	}, receipt.WallKernelCopy, 0.8, "8.00 of 10.0 GB/s", ""},
	{"a writer slower than the copy", func(s *situation) {
		s.c.Workers, s.c.InputWait, s.c.ReadChars, s.c.Scanned = 1, seconds(0.9), 2*gb, 2*gb
		s.c.User, s.c.System = seconds(0.1), seconds(0.4)
	}, receipt.WallSlowInput, 0, "2.00 GB/s", ""},
	{"a writer that waits for a processor, not for the reader", func(s *situation) {
		s.c.OutputWait, s.c.User, s.c.RunQueue = seconds(0.9), seconds(1), seconds(2.5)
	}, receipt.WallContention, 0, "62 %", ""},
	{"a decompressor beside a busy neighbour", func(s *situation) {
		s.c.InputWait, s.c.Decompressed, s.c.User, s.c.RunQueue = seconds(0.9), true, seconds(1), seconds(2.5)
	}, receipt.WallContention, 0, "62 %", ""},
	{"more workers than processors, all busy", func(s *situation) {
		s.c.Workers, s.c.Processors, s.c.RunQueue, s.c.Scanned = 32, 4, seconds(28), 45*gb
	}, receipt.WallMemory, 0.9, "32 workers on 4 processors for 1s: user 95 %, kernel 2 %, waiting for a processor 3 %, blocked 0 %", ""},
	{"more workers than processors, idle", func(s *situation) {
		s.c.Workers, s.c.Processors, s.c.User = 32, 4, seconds(0.4)
	}, receipt.WallUnclear, 0, "idle for 88 %", ""},
	{"more workers than processors that others use", func(s *situation) {
		s.c.Workers, s.c.Processors, s.c.User, s.c.RunQueue = 32, 4, seconds(1.9), seconds(28)
	}, receipt.WallContention, 0, "waiting for a processor 50 %", ""},
	{"fewer workers than processors", func(s *situation) {
		s.c.Workers, s.c.Processors, s.c.User, s.c.Scanned = 1, 4, seconds(0.95), 19*gb
	}, receipt.WallMemory, 0.95, "1 workers on 1 processors", ""},
	{"holes only", func(s *situation) {
		s.c.Wall, s.c.Scanned, s.c.Skipped = seconds(0.003), 4096, 7*gb/10
	}, receipt.WallTooSmall, 0, "nothing to wait for: the run took 3ms, because 0.700 of 0.700 GB were holes", ""},
	{"limits measured on a busy machine", func(s *situation) {
		s.ceilings.Busy = "other programs used 1.5 of 4 processors"
		s.c.ReadChars, s.c.Scanned, s.c.User, s.c.System = 24*gb, 24*gb, seconds(0.9), seconds(3)
	}, receipt.WallKernelCopy, 0, "measured on a busy machine: other programs used 1.5 of 4", ""},
	{"limits kept from a quiet hour", func(s *situation) {
		s.ceilings.Busy = "other programs used 1.5 of 4 processors"
		s.ceilings.CopyAll.Taken = time.Unix(1, 0)
		s.c.ReadChars, s.c.Scanned, s.c.User, s.c.System = 24*gb, 24*gb, seconds(0.9), seconds(3)
	}, receipt.WallKernelCopy, 0.8, "24.0 of 30.0 GB/s", ""},
	{"memory", func(s *situation) { s.c.Scanned = 46 * gb },
		receipt.WallMemory, 0.92, "46.0 of 50.0 GB/s, this machine's best rate (92 %)", ""},
	{"memory, one worker", func(s *situation) {
		s.c.Workers, s.c.Scanned, s.c.User = 1, 19*gb, seconds(0.95)
	}, receipt.WallMemory, 0.95, "19.0 of 20.0", ""},
	{"faster than memory was measured", func(s *situation) { s.c.Scanned = 60 * gb },
		receipt.WallMemory, 0, "more than 50.0", "exceeded"},
	{"slow function, unprobed", func(s *situation) {},
		receipt.WallKernelFunction, 0, "memory would deliver 50.0 GB/s", "undecided"},
	{"slow function, probed", func(s *situation) { s.p = Probes{Cached: 2.6, Touch: 45} },
		receipt.WallKernelFunction, 0.962, "10.0 of 10.4 GB/s, its rate on cached bytes", ""},
	{"the function beats its probe", func(s *situation) { s.p = Probes{Cached: 2, Touch: 45} },
		receipt.WallKernelFunction, 0, "more than 8.00", ""},
	{"function and memory are close, the function is slower", func(s *situation) {
		s.c.Scanned, s.p = 38*gb, Probes{Cached: 11, Touch: 46}
	}, receipt.WallKernelFunction, 0.864, "", ""},
	{"function and memory are close, memory is slower", func(s *situation) {
		s.c.Scanned, s.p = 38*gb, Probes{Cached: 12, Touch: 46}
	}, receipt.WallMemory, 0.826, "38.0 of 46.0", ""},
	{"between, unprobed", func(s *situation) { s.c.Scanned = 35 * gb },
		receipt.WallUnclear, 0, "may be the memory's or the function's", "undecided"},
	{"user time without ceilings and probes", func(s *situation) { s.ceilings = nil },
		receipt.WallUnclear, 0, "may be", "undecided"},
	{"user time without ceilings, probed: memory", func(s *situation) {
		s.ceilings, s.c.Scanned, s.p = nil, 40*gb, Probes{Cached: 30, Touch: 44}
	}, receipt.WallMemory, 0.909, "the rate of only touching the same bytes", ""},
	{"slower than both probes", func(s *situation) {
		s.ceilings, s.p = nil, Probes{Cached: 30, Touch: 44}
	}, receipt.WallUnclear, 0, "10.0 GB/s, and the probes of function and memory reach 32.2 just afterwards", ""},
	{"pages that are new to a virtual machine", func(s *situation) {
		s.ceilings, s.c.Workers, s.c.Scanned, s.c.MinorFaults = nil, 1, gb*276/100, 42_000
		s.c.User, s.c.System, s.p = seconds(0.82), seconds(0.18), Probes{Cached: 96, Touch: 20.7, Populate: 10.7}
	}, receipt.WallUnclear, 0, "provide the memory first", ""},
	{"small pages, mapping takes longest of what is known", func(s *situation) {
		s.ceilings, s.c.Workers, s.c.Scanned, s.c.MinorFaults = nil, 1, gb*44/10, 67_000
		s.c.User, s.c.System, s.p = seconds(0.63), seconds(0.37), Probes{Cached: 96, Touch: 21.6, Populate: 10.9}
	}, receipt.WallPageFaults, 0, "the function takes 5 % of the time, memory 20 %, and mapping 40 %", ""},
	{"small pages, mapped by all workers at once", func(s *situation) {
		s.ceilings, s.c.Scanned, s.c.MinorFaults = nil, 20*gb, 300_000
		s.c.User, s.c.System, s.p = seconds(2.5), seconds(1.5), Probes{Cached: 96, Touch: 70, Populate: 10}
	}, receipt.WallPageFaults, 0, "the function takes 5 % of the time, memory 29 %, and mapping 50 %", ""},
	{"small pages, mapping takes as long as memory", func(s *situation) {
		s.ceilings, s.c.Workers, s.c.Processors, s.c.Scanned, s.c.MinorFaults = nil, 2, 2, 12*gb, 190_000
		s.c.User, s.c.System, s.p = seconds(1.1), seconds(0.9), Probes{Cached: 103, Touch: 27.8, Populate: 14.8}
	}, receipt.WallPageFaults, 0, "with large folios memory would allow 27.8 GB/s", ""},
	{"small pages, mapping takes less long than memory", func(s *situation) {
		s.ceilings, s.c.Workers, s.c.Processors, s.c.Scanned, s.c.MinorFaults = nil, 2, 2, 12*gb, 190_000
		s.c.User, s.c.System, s.p = seconds(1.1), seconds(0.9), Probes{Cached: 103, Touch: 23.8, Populate: 14.8}
	}, receipt.WallMemory, 0.504, "memory 50 %, and mapping 41 %", ""},
	{"a table that is slower with its groups than with those of a probe", func(s *situation) {
		s.ceilings, s.c.Scanned, s.c.Keeps, s.p = nil, gb/4, true, Probes{Cached: 0.2, Touch: 58, Populate: 14}
	}, receipt.WallKernelFunction, 0, "0.250 GB/s, with 95 % of the time in user code", ""},
	{"such a table of which half was fetched", func(s *situation) {
		s.c.Scanned, s.c.ReadStorage, s.c.Keeps, s.p = gb/4, gb/7, true, Probes{Cached: 0.4, Touch: 58, Populate: 14}
		s.c.User, s.c.System = seconds(2.3), seconds(0.2)
	}, receipt.WallKernelFunction, 0, "with 57 % of the time in user code", ""},
	{"such a table, copied", func(s *situation) {
		s.c.Scanned, s.c.ReadChars, s.c.ReadStorage, s.c.Keeps = gb/4, gb/4, gb/4, true
		s.p = Probes{Cached: 0.4, Touch: 58, Read: 14}
	}, receipt.WallKernelFunction, 0, "with 95 % of the time in user code", ""},
	{"such a table beside others", func(s *situation) {
		s.c.Scanned, s.c.ReadStorage, s.c.Keeps, s.p = gb/4, gb/7, true, Probes{Cached: 0.4, Touch: 58, Populate: 14}
		s.c.User, s.c.System, s.c.RunQueue = seconds(2.3), seconds(0.2), seconds(1.4)
	}, receipt.WallContention, 0, "35 %", ""},
	{"a table that memory holds up", func(s *situation) {
		s.ceilings, s.c.Scanned, s.c.Keeps, s.p = nil, 40*gb, true, Probes{Cached: 30, Touch: 44}
	}, receipt.WallMemory, 0.909, "", ""},
	{"large folios, mapping takes no time", func(s *situation) {
		s.ceilings, s.c.Workers, s.c.Scanned, s.c.MinorFaults = nil, 1, 14*gb, 7000
		s.c.User, s.c.System, s.p = seconds(0.9), seconds(0.1), Probes{Cached: 96, Touch: 21.6, Populate: 10.9}
	}, receipt.WallMemory, 0.648, "and mapping 0 %", ""},
	{"function and memory together", func(s *situation) {
		s.ceilings, s.c.Scanned, s.p = nil, 32*gb, Probes{Cached: 49, Touch: 62.8, Populate: 182}
	}, receipt.WallMemory, 0.51, "the function takes 16 % of the time, memory 51 %", ""},
	{"copied bytes leave only the function", func(s *situation) {
		s.c.ReadChars, s.c.User, s.c.System = 10*gb, seconds(2.6), seconds(1.2)
	}, receipt.WallKernelFunction, 0, "65 % of the time in user code", "undecided"},
	{"cold reads that keep the kernel busy", func(s *situation) {
		s.c.Workers, s.c.ReadStorage, s.c.ReadChars, s.c.Scanned = 1, gb, gb, gb
		s.c.User, s.c.System, s.p = seconds(0.01), seconds(0.91), Probes{Cached: 100, Touch: 40, Read: 10, Populate: 24}
	}, receipt.WallStorage, 0.5, "100 % of the bytes were fetched; the probes found them cached, at 10.0 GB/s", ""},
	{"cold reads that keep the kernel busy, unprobed", func(s *situation) {
		s.c.Workers, s.c.ReadStorage, s.c.ReadChars, s.c.Scanned = 1, gb, gb, gb
		s.c.User, s.c.System = seconds(0.01), seconds(0.91)
	}, receipt.WallUnclear, 0, "something other than copies", "undecided"},
	{"cold bytes at whose first touch the host provides memory", func(s *situation) {
		s.c.Workers, s.c.ReadStorage, s.c.Scanned, s.c.MinorFaults = 1, gb/2, gb, 800
		s.c.User, s.c.System, s.p = seconds(0.98), seconds(0.02), Probes{Cached: 87, Touch: 26, Read: 12, Populate: 106}
	}, receipt.WallStorage, 0.25, "50 % of the bytes were fetched", ""},
	{"too few cold bytes to explain it", func(s *situation) {
		s.c.Workers, s.c.ReadStorage, s.c.Scanned = 1, gb*49/100, gb
		s.c.User, s.c.System, s.p = seconds(0.98), seconds(0.02), Probes{Cached: 87, Touch: 26, Read: 12, Populate: 106}
	}, receipt.WallUnclear, 0, "provide the memory first", ""},
	{"cold bytes that are touched no faster now that they are cached", func(s *situation) {
		s.c.Workers, s.c.ReadStorage, s.c.Scanned = 1, gb, gb
		s.c.User, s.c.System, s.p = seconds(0.1), seconds(0.88), Probes{Cached: 100, Touch: 1.6, Read: 12}
	}, receipt.WallUnclear, 0, "something other than copies", ""},
	{"cold bytes that the function keeps up with", func(s *situation) {
		s.c.Workers, s.c.ReadStorage, s.c.Scanned = 1, gb, gb
		s.c.User, s.c.System, s.p = seconds(0.98), seconds(0.02), Probes{Cached: 1.2, Touch: 26, Read: 12, Populate: 106}
	}, receipt.WallKernelFunction, 0.833, "", ""},
	{"workers that wait for each other, and then for storage", func(s *situation) {
		s.c.Workers, s.c.Processors, s.c.ReadStorage, s.c.ReadChars, s.c.Scanned = 8, 2, gb, gb, gb
		s.c.User, s.c.System, s.c.RunQueue = seconds(0.1), seconds(1.2), seconds(5)
		s.c.MachineBusy, s.p = seconds(1.4), Probes{Cached: 100, Touch: 80, Read: 20}
	}, receipt.WallStorage, 0.5, "waiting for a processor 6 %, blocked 29 %", ""},
	{"workers that mostly sleep, on processors that others use, too", func(s *situation) {
		s.c.Workers, s.c.Processors, s.c.ReadStorage, s.c.Scanned = 8, 2, gb, gb
		s.c.User, s.c.System, s.c.RunQueue, s.c.MachineBusy = seconds(0.14), seconds(0.4), seconds(1.5), seconds(1.3)
	}, receipt.WallStorage, 0.5, "waiting for a processor 39 %, blocked 34 %", ""},
	{"other threads wait for a processor, the workers for storage", func(s *situation) {
		s.c.ReadStorage, s.c.Scanned = gb, gb
		s.c.User, s.c.RunQueue, s.c.MachineBusy = seconds(1.1), seconds(2.8), seconds(2.2)
	}, receipt.WallStorage, 0.5, "waiting for a processor 25 %, blocked 45 %", ""},
	{"workers that mostly wait for a processor, and some for storage", func(s *situation) {
		s.c.Workers, s.c.Processors, s.c.ReadStorage, s.c.Scanned = 8, 2, gb, gb
		s.c.User, s.c.System, s.c.RunQueue, s.c.MachineBusy = seconds(0.14), seconds(0.4), seconds(4.5), seconds(1.3)
	}, receipt.WallContention, 0, "39 %", "undecided"},
	{"workers that wait for each other and for others", func(s *situation) {
		s.c.Workers, s.c.Processors = 8, 2
		s.c.User, s.c.System, s.c.RunQueue, s.c.MachineBusy = seconds(1), seconds(0.1), seconds(5), seconds(1.9)
	}, receipt.WallContention, 0, "that other programs used took 41 %", ""},
	{"others that took little of what is missing", func(s *situation) {
		s.c.User, s.c.RunQueue, s.c.MachineBusy = seconds(1.2), seconds(3), seconds(1.7)
	}, receipt.WallUnclear, 0, "idle for 57 %", ""},
	{"the host gave the processors to others", func(s *situation) {
		s.c.User, s.c.MachineBusy, s.c.Stolen = seconds(2.4), seconds(2.5), seconds(1.3)
	}, receipt.WallContention, 0, "that the host of this virtual machine gave to others took 32 %", ""},
	{"a system that counts nothing", func(s *situation) {
		s.c.User, s.c.System, s.c.Missing = 0, 0, []string{"everything"}
	}, receipt.WallUnclear, 0, "not counted: everything", ""},
	{"no workers given", func(s *situation) {
		s.c.Workers, s.c.User, s.c.Scanned = 0, seconds(0.9), 18*gb
	}, receipt.WallMemory, 0.9, "1 workers", ""},
}

func TestName(t *testing.T) {
	for _, test := range situations {
		t.Run(test.name, func(t *testing.T) {
			s := situation{c: base(), ceilings: machine()}
			test.change(&s)
			v := Name(s.c, s.p, s.ceilings)
			text := v.Sentence + "\n" + strings.Join(v.Evidence, "\n")
			if v.Wall != test.wall {
				t.Fatalf("wall %q, want %q:\n%s", v.Wall, test.wall, text)
			}
			if d := v.Fraction - test.fraction; d > 0.001 || d < -0.001 {
				t.Errorf("fraction %.3f, want %.3f:\n%s", v.Fraction, test.fraction, text)
			}
			if !strings.Contains(text, test.says) {
				t.Errorf("%q is not said:\n%s", test.says, text)
			}
			if v.Exceeded != (test.flags == "exceeded") || v.Undecided != (test.flags == "undecided") {
				t.Errorf("exceeded %v, undecided %v; want %q", v.Exceeded, v.Undecided, test.flags)
			}
			if len(v.Evidence) < 2 {
				t.Errorf("no evidence: %q", v.Evidence)
			}
		})
	}
}

// TestNameNeverFails covers corner cases that no real run has.
func TestNameNeverFails(t *testing.T) {
	for _, c := range []Counters{
		{},
		{Wall: -time.Second},
		{Wall: time.Hour, System: time.Hour, Workers: 1},
		{Wall: time.Second, System: time.Second, MinorFaults: 1 << 40, Workers: 1},
		{Wall: time.Second, User: time.Hour, Workers: 1, Scanned: 1 << 60},
		{Wall: time.Second, ReadStorage: 1, Workers: 1},
	} {
		for _, ceilings := range []*limits.Ceilings{nil, {}, machine()} {
			v := Name(c, Probes{}, ceilings)
			if v.Wall == "" || v.Sentence == "" || v.Fraction < 0 || v.Fraction > 1 {
				t.Errorf("%+v: %+v", c, v)
			}
		}
	}
}

func TestSub(t *testing.T) {
	at := time.Now()
	earlier := Snapshot{at: at, totals: Counters{
		User: 1, System: 2, RunQueue: 30, Voluntary: 4, Involuntary: 5, MinorFaults: 6,
		MajorFaults: 7, ReadChars: 8, WriteChars: 16, ReadStorage: 9, PressureCPU: 10, PressureIO: 11,
		PressureMemory: 12, ThrottledPeriods: 13, Throttled: 14, QuotaCPUs: 1.5, MachineBusy: 15, Stolen: 17,
	}}
	later := Snapshot{at: at.Add(time.Second), totals: Counters{
		User: 2, System: 4, RunQueue: 20, Voluntary: 8, Involuntary: 10, MinorFaults: 12,
		MajorFaults: 14, ReadChars: 16, WriteChars: 32, ReadStorage: 18, PressureCPU: 20, PressureIO: 22,
		PressureMemory: 24, ThrottledPeriods: 26, Throttled: 28, QuotaCPUs: 1.5, MachineBusy: 30, Stolen: 34,
	}}
	got := later.Sub(earlier)
	want := earlier.totals // all doubled, so the differences are the earlier values
	want.Wall = time.Second
	want.RunQueue = 0 // threads that ended took their waiting with them
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
