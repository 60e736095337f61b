package wall

import (
	"fmt"
	"math"
	"math/rand/v2"
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

// Each is a second of four workers on a machine that copies 10 GB/s by one worker and 30 by four, reads 20 and 50 GB/s of
// memory, and needs a microsecond for a page fault.
var situations = []struct {
	name   string
	change func(s *situation)
	parts  string // in percent, without those of less than half of one
	wall   receipt.Wall
}{
	{"start-up only", func(s *situation) { s.c.Wall = 19 * time.Millisecond }, "", receipt.TooSmall},
	{"holes only", func(s *situation) {
		s.c.Wall, s.c.Scanned, s.c.Skipped = seconds(0.003), 4096, 7*gb/10
	}, "", receipt.TooSmall},
	{"nothing is counted", func(s *situation) { s.c.User, s.c.System = 0, 0 }, "not known 100", receipt.Unknown},

	{"a slow writer", func(s *situation) {
		s.c.Piped, s.c.InputWait, s.c.Scanned, s.c.User = true, seconds(0.9), gb/5, seconds(0.1)
	}, "its input 90, order between workers 5, the work itself 4, not known 2", receipt.Input},
	{"a slow writer of one worker, and copies", func(s *situation) {
		s.c.Workers, s.c.Piped, s.c.InputWait, s.c.ReadChars, s.c.Scanned = 1, true, seconds(0.9), 2*gb, 2*gb
		s.c.User, s.c.System = seconds(0.1), seconds(0.2)
	}, "its input 70, copying 20, the work itself 10", receipt.Input},
	{"a writer that begins late", func(s *situation) {
		s.c.Piped, s.c.Worked, s.c.Scanned, s.c.ReadChars = true, seconds(0.8), gb, gb
		s.c.User, s.c.System = seconds(0.6), seconds(0.1)
	}, "its input 80, the work itself 15, copying 2, order between workers 2", receipt.Input},
	{"a decompressor that is waited for", func(s *situation) {
		s.c.InputWait, s.c.Scanned, s.c.User, s.c.Decompressed = seconds(0.9), gb/5, seconds(1), true
		s.p.Cached = 10
	}, "decompression 98, not known 2, the work itself 0", receipt.Decompression},
	{"a decompressor that takes the processors", func(s *situation) {
		s.c.InputWait, s.c.Scanned, s.c.Decompressed, s.p.Cached = seconds(0.1), gb, true, 1
	}, "decompression 74, the work itself 25, not known 2", receipt.Decompression},
	{"a slow reader", func(s *situation) {
		s.c.OutputWait, s.c.User, s.c.System = seconds(0.9), seconds(0.3), seconds(0.1)
	}, "its output 90, the work itself 8, not known 2", receipt.Output},
	{"both wait, the writer longer", func(s *situation) {
		s.c.Piped, s.c.InputWait, s.c.OutputWait, s.c.User = true, seconds(0.41), seconds(0.5), seconds(0.4)
	}, "its output 50, its input 38, the work itself 11, not known 2", receipt.Mixed},
	{"writing results into the page cache", func(s *situation) {
		s.c.WriteChars, s.c.User, s.c.System = 24*gb, seconds(0.8), seconds(3)
	}, "its output 74, the work itself 21, not known 5", receipt.Output},

	{"throttled", func(s *situation) {
		s.c.User, s.c.System = seconds(0.19), seconds(0.01)
		s.c.Throttled, s.c.ThrottledPeriods, s.c.QuotaCPUs = seconds(3.5), 10, 0.2
	}, "CPU quota 95, the work itself 5", receipt.Quota},
	{"throttled, and waiting in the run queue for it", func(s *situation) {
		s.c.User, s.c.RunQueue = seconds(1), seconds(2.8)
		s.c.Throttled, s.c.ThrottledPeriods, s.c.QuotaCPUs = seconds(2.8), 10, 1.25
	}, "CPU quota 70, the work itself 26, other programs 3, not known 2", receipt.Quota},
	{"the quota is used up, though little was throttled", func(s *situation) {
		s.c.User, s.c.System, s.c.QuotaCPUs = seconds(1.25), 0, 1.25
		s.c.Throttled, s.c.ThrottledPeriods = seconds(0.1), 8
	}, "CPU quota 69, the work itself 31", receipt.Quota},
	{"others use the processors", func(s *situation) {
		s.c.User, s.c.RunQueue, s.c.MachineBusy = seconds(1.4), seconds(2.4), seconds(4)
	}, "other programs 60, the work itself 36, not known 4", receipt.OtherPrograms},
	{"workers wait for each other and for others", func(s *situation) {
		s.c.Workers, s.c.Processors = 8, 2
		s.c.User, s.c.System, s.c.RunQueue, s.c.MachineBusy = seconds(1), seconds(0.1), seconds(5), seconds(1.9)
	}, "the work itself 51, other programs 41, not known 8", receipt.Mixed},
	{"other threads wait, the workers lose nothing", func(s *situation) {
		s.c.Scanned, s.c.User, s.c.RunQueue = 45*gb, seconds(3.9), seconds(2)
	}, "the work itself 98, not known 2", receipt.Work},
	{"the host gave the processors to others", func(s *situation) {
		s.c.User, s.c.MachineBusy, s.c.Stolen = seconds(1.2), seconds(1.3), seconds(2.6)
	}, "the host 65, the work itself 31, not known 4", receipt.Host},

	{"direct reads", func(s *situation) {
		s.c.ReadStorage, s.c.ReadChars, s.c.Scanned = 19*gb/10, 19*gb/10, 19*gb/10
		s.c.User, s.c.System = seconds(0.1), seconds(0.3)
	}, "storage 92, copying 5, the work itself 4", receipt.Storage},
	{"buffered reads that keep the system busy", func(s *situation) {
		s.c.Workers, s.c.ReadStorage, s.c.ReadChars, s.c.Scanned = 1, gb, gb, gb
		s.c.User, s.c.System = seconds(0.01), seconds(0.91)
	}, "storage 88, copying 10, the work itself 2", receipt.Storage},
	{"cold bytes at whose first touch the host provides memory", func(s *situation) {
		s.c.Workers, s.c.ReadStorage, s.c.Scanned, s.c.MinorFaults = 1, gb/2, gb, 800
		s.c.User, s.c.System, s.p = seconds(0.98), seconds(0.02), Probes{Cached: 87}
	}, "storage 89, memory 10, the work itself 1", receipt.Storage},
	{"a network file system", func(s *situation) { s.c.User, s.c.PressureIO = seconds(0.4), seconds(0.7) },
		"storage 88, the work itself 11, not known 2", receipt.Storage},
	{"a remote object", func(s *situation) {
		s.c.Remote, s.c.Connections, s.c.User, s.c.System, s.c.ReadChars = true, 8, seconds(0.4), seconds(0.9), gb
		s.c.Scanned = gb
	}, "the network 86, the work itself 11, copying 2", receipt.Network},
	{"a server that asks for fewer requests", func(s *situation) {
		s.c.Remote, s.c.Refused, s.c.User, s.c.System = true, 5, seconds(0.2), 0
	}, "throttling 95, the work itself 5", receipt.Throttling},

	{"copies", func(s *situation) {
		s.c.ReadChars, s.c.Scanned = 24*gb, 24*gb
		s.c.User, s.c.System = seconds(0.9), seconds(3)
	}, "copying 74, the work itself 24, not known 3", receipt.Copying},
	{"copies that are dearer than was measured", func(s *situation) {
		s.c.ReadChars, s.c.Scanned = 12*gb, 12*gb
		s.c.User, s.c.System = seconds(0.9), seconds(3)
	}, "copying 74, the work itself 24, not known 3", receipt.Copying},
	{"copies and faults", func(s *situation) {
		s.c.ReadChars, s.c.Scanned, s.c.MinorFaults = 10*gb, 20*gb, 1_000_000
		s.c.User, s.c.System = seconds(0.9), seconds(3)
	}, "copying 37, page faults 37, the work itself 24, not known 3", receipt.Mixed},
	{"faults that map 64 KiB each", func(s *situation) {
		s.c.MinorFaults, s.c.Scanned = 600_000, 600_000<<16
		s.c.User, s.c.System, s.p.Cached = seconds(3), seconds(0.9), 20
	}, "the work itself 49, memory 27, page faults 22, not known 2", receipt.Mixed},
	{"faults that were measured, and samples that are coarse", func(s *situation) {
		s.c.Wall, s.c.Workers, s.c.Scanned, s.c.MinorFaults, s.c.Cached = seconds(0.2), 1, gb, 15_000, true
		s.c.User, s.c.System = seconds(0.11), seconds(0.09)
		s.p = Probes{Cached: 30, Copied: 4, Mapped: 11, FaultNanos: 7000}
	}, "page faults 54, memory 30, the work itself 17", receipt.Mixed},
	{"faults that were measured, and samples that are many", func(s *situation) {
		s.c.Wall, s.c.Workers, s.c.Scanned, s.c.MinorFaults, s.c.Cached = seconds(20), 1, 100*gb, 1_500_000, true
		s.c.User, s.c.System = seconds(12), seconds(8)
		s.p = Probes{Cached: 30, Copied: 4, Mapped: 11, FaultNanos: 7000}
	}, "memory 42, page faults 41, the work itself 17", receipt.Mixed},
	{"copies that were measured", func(s *situation) {
		s.c.ReadChars, s.c.Scanned, s.p = 12*gb, 12*gb, Probes{Cached: 10, Copied: 4}
		s.c.User, s.c.System = seconds(0.9), seconds(3)
	}, "copying 75, the work itself 22, not known 3", receipt.Copying},
	{"the system is busy with something else", func(s *situation) {
		s.c.User, s.c.System = seconds(0.8), seconds(3)
	}, "not known 79, the work itself 21", receipt.Unknown},
	{"order", func(s *situation) {
		s.c.Cached, s.c.Worked, s.c.User = true, seconds(3.8), seconds(1.2)
	}, "order between workers 62, the work itself 31, starting and ending 5, not known 2", receipt.Order},
	{"a worker that ends late", func(s *situation) {
		s.c.Cached, s.c.Worked, s.c.User = true, seconds(1.6), seconds(1.5)
	}, "starting and ending 60, the work itself 38, not known 2", receipt.Ends},
	{"waiting for an unknown reason", func(s *situation) { s.c.User = seconds(0.4) }, "not known 89, the work itself 11", receipt.Unknown},

	{"memory", func(s *situation) { s.c.Scanned, s.p.Cached = 46*gb, 90 }, "memory 83, the work itself 13, not known 4", receipt.Memory},
	{"memory and the work", func(s *situation) { s.c.Scanned, s.p.Cached = 30*gb, 16 }, "memory 49, the work itself 47, not known 4", receipt.Mixed},
	{"the work", func(s *situation) { s.p.Cached = 2.6 }, "the work itself 96, not known 4", receipt.Work},
	{"the work, without a probe", func(s *situation) {}, "the work itself 96, not known 4", receipt.Work},
	{"the work on bytes that were copied", func(s *situation) {
		s.c.ReadChars, s.c.User, s.c.System = 10*gb, seconds(2.6), seconds(1.2)
	}, "the work itself 66, copying 29, not known 5", receipt.Work},
	{"a table", func(s *situation) { s.c.Keeps, s.p.Cached = true, 40 }, "the work itself 96, not known 4", receipt.Work},
	{"new memory of a virtual machine", func(s *situation) {
		s.ceilings, s.c.Workers, s.c.Scanned = nil, 1, gb
		s.c.User, s.c.System, s.p.Cached = seconds(0.95), 0, 90
	}, "not known 79, memory 20, the work itself 1", receipt.Unknown},
	{"a short run whose samples are coarse", func(s *situation) {
		s.c.Wall, s.c.Workers, s.c.Scanned, s.c.ReadChars = seconds(0.05), 1, gb/4, gb/4
		s.c.User, s.c.System = seconds(0.048), 0
	}, "the work itself 76, copying 20, not known 4", receipt.Work},
	{"no workers given", func(s *situation) {
		s.c.Workers, s.c.User, s.c.System, s.c.Scanned = 0, seconds(0.95), 0, gb
	}, "the work itself 95, not known 5", receipt.Work},
}

func partsText(parts []receipt.Part) string {
	var texts []string
	for _, p := range parts {
		if p.Share >= 0.005 {
			texts = append(texts, fmt.Sprintf("%s %.0f", p.Wall, 100*p.Share))
		}
	}
	return strings.Join(texts, ", ")
}

func TestDivide(t *testing.T) {
	for _, test := range situations {
		t.Run(test.name, func(t *testing.T) {
			s := situation{c: base(), ceilings: machine()}
			test.change(&s)
			var r receipt.Receipt
			Divide(&r, s.c, s.p, s.ceilings)
			if got := partsText(r.Parts); got != test.parts || r.Wall != test.wall {
				t.Errorf("%s, %q; want %s, %q\n%s\n%s", r.Wall, got, test.wall, test.parts, r.Verdict, strings.Join(r.Evidence, "\n"))
			}
			if len(r.Evidence) < 2 || r.Verdict == "" {
				t.Errorf("verdict %q, evidence %q", r.Verdict, r.Evidence)
			}
			checkSum(t, &r)
		})
	}
}

// checkSum holds the parts to adding up.
func checkSum(t *testing.T, r *receipt.Receipt) {
	t.Helper()
	sum := 0.0
	for i, p := range r.Parts {
		sum += p.Share
		if !(p.Low >= 0 && p.Low <= p.Share+1e-9 && p.Share <= p.High+1e-9 && p.High <= 1+1e-9) {
			t.Errorf("%+v", p)
		}
		if i > 0 && r.Parts[i-1].Share < p.Share {
			t.Errorf("%+v comes before %+v", r.Parts[i-1], p)
		}
	}
	if len(r.Parts) > 0 && math.Abs(sum-1) > 1e-9 {
		t.Errorf("the parts add up to %v: %+v", sum, r.Parts)
	}
}

// TestAddsUp has counters that no real run has.
func TestAddsUp(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	for range 20_000 {
		var c Counters
		v := reflect.ValueOf(&c).Elem()
		for i := range v.NumField() {
			if random.IntN(3) == 0 {
				continue
			}
			switch f := v.Field(i); f.Kind() {
			case reflect.Int64:
				f.SetInt(random.Int64N(1 << (1 + random.IntN(50))))
			case reflect.Int:
				f.SetInt(random.Int64N(70))
			case reflect.Bool:
				f.SetBool(random.IntN(2) == 0)
			case reflect.Float64:
				f.SetFloat(random.Float64() * 10)
			}
		}
		p := []Probes{{}, {Cached: random.Float64() * 100}, {Cached: 1, Storage: 2}, {Cached: 20, Copied: 5, Mapped: 9, FaultNanos: 900}}[random.IntN(4)]
		ceilings := []*limits.Ceilings{nil, {}, machine()}[random.IntN(3)]
		var r receipt.Receipt
		Divide(&r, c, p, ceilings)
		if r.Wall == "" || r.Verdict == "" || (c.Wall >= Small) != (len(r.Parts) > 0) {
			t.Errorf("%+v: %+v", c, r)
		}
		checkSum(t, &r)
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, c)
		}
	}
	for _, c := range []Counters{{}, {Wall: -time.Second}, {Wall: time.Second, User: time.Hour, Workers: 1, Scanned: 1 << 60}} {
		var r receipt.Receipt
		Divide(&r, c, Probes{}, machine())
		if checkSum(t, &r); r.Wall == "" {
			t.Errorf("%+v: %+v", c, r)
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
