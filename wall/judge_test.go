package wall

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

var two = Machine{System: "test", CPUs: 2}

// TestRunningWall: each rule, and each of its thresholds from both sides.
func TestRunningWall(t *testing.T) {
	base := func(change func(e *Evidence)) Evidence {
		e := Evidence{Seconds: 1, Running: 1, Ready: 1, User: 0.95, System: 0.05}
		change(&e)
		return e
	}
	for _, test := range []struct {
		name    string
		machine Machine
		want    Wall
		change  func(e *Evidence)
	}{
		{"a core", two, OneCore, func(*Evidence) {}},
		{"throttled", two, Quota, func(e *Evidence) { e.Throttled = 0.1 }},
		{"hardly throttled", two, OneCore, func(e *Evidence) { e.Throttled = 0.09 }},
		{"quota used up", Machine{CPUs: 2, QuotaCPUs: 1}, Quota, func(e *Evidence) { e.Throttled = 0.01 }},
		{"quota not used up", Machine{CPUs: 2, QuotaCPUs: 1.5}, OneCore, func(e *Evidence) { e.Throttled = 0.01 }},
		{"quota of all", Machine{CPUs: 1, QuotaCPUs: 1}, OneCore, func(e *Evidence) { e.Throttled = 0.01 }},
		{"others", two, OtherPrograms, func(e *Evidence) { e.User, e.Queue, e.OtherCPU = 0.45, 0.5, 1.4 }},
		{"others, of short processes", two, OtherPrograms, func(e *Evidence) { e.User, e.OtherCPU = 0.45, 1.4 }},
		{"others, and a processor idle", two, OneCore, func(e *Evidence) { e.User, e.Queue, e.OtherCPU = 0.45, 0.5, 0.9 }},
		{"its own threads", two, AllCores, func(e *Evidence) { e.User, e.Queue, e.AllBusy, e.OtherCPU = 1.9, 4, 1, 0.02 }},
		{"pressure", two, Memory, func(e *Evidence) { e.PressureMemory = 0.25 }},
		{"little pressure", two, OneCore, func(e *Evidence) { e.PressureMemory = 0.24 }},
		{"processes", two, Processes, func(e *Evidence) { e.NewProcess, e.Forks = 0.25, 334 }},
		{"bigger processes", two, OneCore, func(e *Evidence) { e.NewProcess, e.Forks = 0.25, 333 }},
		{"processes of others", two, OneCore, func(e *Evidence) { e.NewProcess, e.Forks = 0.24, 1000 }},
		{"faults", two, PageFaults, func(e *Evidence) { e.User, e.System, e.MinorFaults = 0.6, 0.4, 161000 }},
		{"fewer faults", two, OneCore, func(e *Evidence) {
			e.User, e.System, e.MinorFaults, e.ReadCalls, e.ReadChars = 0.6, 0.4, 159000, 16000, 1e9
		}},
		{"a storm", two, PageFaults, func(e *Evidence) { e.User, e.System, e.MinorFaults, e.ReadCalls = 0.4, 0.6, 120000, 11999 }},
		{"a smaller storm", two, SystemCalls, func(e *Evidence) { e.User, e.System, e.MinorFaults = 0.4, 0.6, 119999 }},
		{"threads in turn", two, Lock, func(e *Evidence) { e.Turns, e.Queue, e.OtherCPU, e.User = 0.6, 0.7, 1, 0.9 }},
		{"threads in turn beside others", two, OtherPrograms, func(e *Evidence) { e.Turns, e.Queue, e.OtherCPU, e.User = 0.6, 0.7, 1.3, 0.65 }},
		{"others, and busy for long", two, OneCore, func(e *Evidence) { e.Queue, e.OtherCPU, e.User = 0.3, 1, 0.95 }},
		{"faults in little time", two, OneCore, func(e *Evidence) { e.User, e.System, e.MinorFaults = 0.75, 0.25, 161000 }},
		{"huge faults", two, PageFaults, func(e *Evidence) { e.User, e.System, e.HugeFaults = 0.6, 0.4, 1100 }},
		{"small calls", two, SystemCalls, func(e *Evidence) {
			e.User, e.System, e.ReadCalls, e.ReadChars = 0.4, 0.6, 1000000, 2047999999
		}},
		{"bigger calls", two, OneCore, func(e *Evidence) {
			e.User, e.System, e.ReadCalls, e.ReadChars = 0.4, 0.6, 1000000, 2048000000
		}},
		{"large reads of few bytes", two, SystemCalls, func(e *Evidence) {
			e.User, e.System, e.ReadCalls, e.ReadChars = 0.4, 0.6, 100, 179e6
		}},
		{"large reads", two, OneCore, func(e *Evidence) {
			e.User, e.System, e.ReadCalls, e.ReadChars = 0.4, 0.6, 100, 181e6
		}},
		{"calls without bytes", two, SystemCalls, func(e *Evidence) { e.User, e.System = 0.6, 0.4 }},
		{"little system time", two, OneCore, func(e *Evidence) { e.User, e.System = 0.61, 0.39 }},
		{"turns", two, Lock, func(e *Evidence) { e.Turns = 0.5 }},
		{"turns beside others", two, Lock, func(e *Evidence) { e.Turns, e.User, e.System, e.OtherCPU = 0.5, 0.76, 0, 1.2 }},
		{"short turns made by others", two, OneCore, func(e *Evidence) { e.Turns, e.User, e.System, e.OtherCPU = 0.9, 0.74, 0, 1.2; e.Ready = 0.9 }},
		{"few turns", two, OneCore, func(e *Evidence) { e.Turns = 0.49 }},
		{"turns on more processors", two, OneCore, func(e *Evidence) { e.Turns, e.User = 0.5, 1.2 }},
		{"all", two, AllCores, func(e *Evidence) { e.AllBusy, e.User = 0.5, 1.8 }},
		{"all for a while", two, OneCore, func(e *Evidence) { e.AllBusy, e.User = 0.49, 1.4 }},
		{"all, by processor time", two, AllCores, func(e *Evidence) { e.AllBusy, e.User = 0.2, 1.65 }},
		{"not quite all, by processor time", two, OneCore, func(e *Evidence) { e.AllBusy, e.User = 0.2, 1.64 }},
		{"all of one", Machine{CPUs: 1}, OneCore, func(e *Evidence) { e.AllBusy = 1 }},
	} {
		e := base(test.change)
		if got := runningWall(&e, test.machine); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestAttribute: the seconds of all walls are those of the stretch.
func TestAttribute(t *testing.T) {
	e := Evidence{Seconds: 45, Running: 9, OnStorage: 8, OnMemory: 7, OnLock: 6, OnNetwork: 5, OnInput: 4, OnOutput: 3,
		Asleep: 2, Stopped: 1, OnUnknown: 0, User: 9}
	want := map[Wall]float64{OneCore: 9, Storage: 8, Memory: 7, Lock: 6, Network: 5, Input: 4, Output: 3, Sleeping: 2, Stopped: 1}
	if got := attribute(&e, two); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	e.Turns = 9 // running time that belongs to a wall that is waited for, too
	want[Lock] += 9
	delete(want, OneCore)
	if got := attribute(&e, two); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestShortWaits(t *testing.T) {
	e := Evidence{Seconds: 1, Running: 0.6, Ready: 0.6, OnStorage: 0.4, User: 0.4, Queue: 0.05}
	want := map[Wall]float64{Storage: 0.55, OneCore: 0.45}
	for w, seconds := range attribute(&e, two) {
		if math.Abs(seconds-want[w]) > 1e-9 {
			t.Errorf("%s %v, want %v", w, seconds, want[w])
		}
	}
	e.OnStorage = 0.1 // at most as much again
	if got := e.shortWaits(two); got != 0.1 {
		t.Errorf("%v with few waits", got)
	}
	e.ReadStorage, e.WriteStorage = 500e3, 250e3
	if got := e.shortWaits(two); math.Abs(got-0.15) > 1e-9 {
		t.Errorf("%v with few waits, and bytes from a device", got)
	}
	e.WriteStorage = 249e3
	if got := e.shortWaits(two); got != 0.1 {
		t.Errorf("%v with few waits, and few bytes from a device", got)
	}
	e.OtherCPU = 1.19 // a fifth of the machine is idle
	if got := e.shortWaits(two); got != 0.1 {
		t.Errorf("%v beside others who leave a processor", got)
	}
	e.OtherCPU = 1.21 // they may have had the processor
	if got := e.shortWaits(two); got != 0 {
		t.Errorf("%v beside others", got)
	}
}

func TestSpeedup(t *testing.T) {
	for _, test := range []struct {
		wall  Wall
		share float64
		cpus  int
		want  float64
	}{
		{Sleeping, 0.5, 2, 2},
		{Storage, 0.9, 2, 10},
		{Storage, 1, 2, 0}, // nothing else bounds it
		{OneCore, 1, 4, 4},
		{OneCore, 0.5, 4, 1.6},
		{OneCore, 1, 1, 0},
		{Lock, 1, 2, 2},
		{AllCores, 0.5, 2, 0},
		{OtherPrograms, 0.5, 2, 0},
	} {
		if got := speedup(test.wall, test.share, Machine{CPUs: test.cpus}); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s %v on %d: %v, want %v", test.wall, test.share, test.cpus, got, test.want)
		}
	}
}

// slotsOf returns slots of 0.1 seconds: s asleep, r running on one core, d on storage, p starting processes.
func slotsOf(text string) (list []Evidence) {
	for _, c := range text {
		e := Evidence{Seconds: 0.1}
		switch c {
		case 's':
			e.Asleep = 0.1
		case 'r':
			e.Running, e.Ready, e.User = 0.1, 0.1, 0.1
		case 'd':
			e.OnStorage, e.ReadStorage = 0.1, 1e6
		case 'p':
			e.Running, e.Ready, e.NewProcess, e.User, e.System, e.Forks = 0.1, 0.1, 0.1, 0.03, 0.06, 200
		}
		list = append(list, e)
	}
	return list
}

func TestPhases(t *testing.T) {
	for _, test := range []struct{ slots, want string }{
		{"ssssssssss", "sleeping 1.0"},
		{"sssssrrrrr", "sleeping 0.5 one core 1.0"},
		{"ssssssrrrr", "sleeping 1.0"},                      // 0.4 s are no phase
		{"rrrrrsrrrrr", "one core 1.1"},                     // nor is a moment
		{"rrrrrrsdsdssssssss", "one core 1.0 sleeping 1.8"}, // moments belong to the longer neighbour
		{"sssssrrrrrddddd", "sleeping 0.5 one core 1.0 storage 1.5"},
		{"s" + strings.Repeat("r", 200) + strings.Repeat("d", 9) + strings.Repeat("r", 90), "one core 30.0"}, // less than a twentieth
		{"", ""},
	} {
		var got []string
		var from float64
		all, _ := phases(slotsOf(test.slots), two)
		for _, p := range all {
			if p.From != from {
				t.Errorf("%s: a gap from %v to %v", test.slots, from, p.From)
			}
			from = p.To
			if d := p.To - p.From - p.Evidence.Seconds; math.Abs(d) > 1e-9 {
				t.Errorf("%s: a phase of %v s has evidence of %v s", test.slots, p.To-p.From, p.Evidence.Seconds)
			}
			got = append(got, string(p.Wall)+" "+formatSeconds(p.To))
		}
		if g := strings.Join(got, " "); g != test.want {
			t.Errorf("%s: %s, want %s", test.slots, g, test.want)
		}
	}
}

// TestParts: what is too short to be a phase is judged by itself, and not together with the rest of its phase.
func TestParts(t *testing.T) {
	for _, test := range []struct{ slots, sentence, walls string }{
		{"rrrrrrpp", "one core: 1 of 2 processors busy for 75 % of 800 ms (computing, or waiting for memory); " +
			"at most 1.6 times as fast on all: then starting processes is next", "one core 0.6 starting processes 0.2"},
		{"rrrppppp", "starting processes: up to 1,000 in 800 ms, at least 500 µs each; " +
			"at most 2.7 times as fast without: then one core is next", "starting processes 0.5 one core 0.3"},
		{"rprprprp", "", "one core 0.4 starting processes 0.4"},
		{"rrrrrprrrrr", "", "one core 1.0 starting processes 0.1"},
		{"pprrddddddss", "", "storage 0.6 one core 0.2 sleeping 0.2 starting processes 0.2"},
		{"ppppppppppppppp" + "rr", "", "starting processes 1.5 one core 0.2"},
	} {
		var r Report
		r.Machine = two
		r.conclude(slotsOf(test.slots))
		var walls []string
		for _, w := range r.Walls {
			walls = append(walls, string(w.Wall)+" "+formatSeconds(w.Seconds))
		}
		if got := strings.Join(walls, " "); got != test.walls {
			t.Errorf("%s: %s, want %s", test.slots, got, test.walls)
		}
		if test.sentence != "" && r.Sentence != test.sentence {
			t.Errorf("%s: %s, want %s", test.slots, r.Sentence, test.sentence)
		}
	}
	var r Report
	r.Machine = two
	half := slotsOf("rrrrrrrrprrr") // slots of 50 ms: a single one has too few samples to be a part
	for i := range half {
		e := &half[i]
		e.Seconds, e.Running, e.Ready, e.NewProcess = e.Seconds/2, e.Running/2, e.Ready/2, e.NewProcess/2
		e.User, e.System, e.Forks = e.User/2, e.System/2, e.Forks/2
	}
	if r.conclude(half); len(r.Walls) != 1 || r.Wall != OneCore {
		t.Errorf("one short slot: %v", r.Walls)
	}
	r = Report{Machine: two}
	r.conclude([]Evidence{{}, {}}) // no time at all
	if r.Wall != Unknown {
		t.Errorf("nothing: %+v", r.Verdict)
	}
}

func formatSeconds(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// TestSlots: a timeline of any length is bounded, and loses nothing.
func TestSlots(t *testing.T) {
	var s slots
	for range 10 * slotsMax {
		s.add(Evidence{Seconds: slotSeconds, Running: slotSeconds, MinorFaults: 3, Samples: 1, ThreadsMax: 2,
			Functions: map[string]float64{"f": slotSeconds}})
	}
	if n := len(s.list); n > slotsMax || n < slotsMax/2 {
		t.Errorf("%d slots", n)
	}
	var sum Evidence
	for _, e := range s.list {
		sum.Add(e)
	}
	seconds := 10 * slotsMax * slotSeconds
	if math.Abs(sum.Seconds-seconds) > 1e-6 || sum.MinorFaults != 30*slotsMax || sum.Samples != 10*slotsMax ||
		sum.ThreadsMax != 2 || math.Abs(sum.Functions["f"]-seconds) > 1e-6 {
		t.Errorf("%+v", sum)
	}
}

// TestAdd: no field is forgotten.
func TestAdd(t *testing.T) {
	var one Evidence
	v := reflect.ValueOf(&one).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Float64:
			f.SetFloat(float64(i + 1))
		case reflect.Int, reflect.Int64:
			f.SetInt(int64(i + 1))
		}
	}
	one.Functions, one.Connections = map[string]float64{"f": 1}, map[string]float64{"c": 2}
	sum := one
	sum.Add(one)
	got := reflect.ValueOf(sum)
	for i := range v.NumField() {
		name, want := v.Type().Field(i).Name, float64(2*(i+1))
		if strings.HasSuffix(name, "Max") {
			want = float64(i + 1)
		}
		switch f := got.Field(i); f.Kind() {
		case reflect.Float64:
			if f.Float() != want {
				t.Errorf("%s is %v, want %v", name, f.Float(), want)
			}
		case reflect.Int, reflect.Int64:
			if float64(f.Int()) != want {
				t.Errorf("%s is %v, want %v", name, f.Int(), want)
			}
		}
	}
	if sum.Functions["f"] != 2 || one.Functions["f"] != 1 || sum.Connections["c"] != 4 || one.Connections["c"] != 2 {
		t.Errorf("%v, %v, and of the summand %v, %v", sum.Functions, sum.Connections, one.Functions, one.Connections)
	}
}

// TestSentences: each wall has a sentence that begins with it.
func TestSentences(t *testing.T) {
	e := Evidence{Seconds: 20, Running: 10, Ready: 10, Asleep: 10, User: 8, System: 2, Forks: 4812, ReadStorage: 31e9, Turns: 1,
		MinorFaults: 1234567, Functions: map[string]float64{"f": 1, "g": 3}}
	for _, w := range []Wall{Storage, OneCore, AllCores, Memory, PageFaults, SystemCalls, Processes, Lock, Input, Output, Network,
		Sleeping, Quota, OtherPrograms, Stopped, Unknown} {
		v := Verdict{Wall: w, Share: 0.5, Next: OneCore}
		v.Speedup = speedup(w, v.Share, two)
		s := sentence(&e, v, two)
		if !strings.HasPrefix(s, string(w)+": ") || strings.Contains(s, "%!") || strings.Contains(s, "NaN") || len(s) > 170 {
			t.Errorf("%s: %s", w, s)
		}
	}
	for _, test := range []struct {
		v    Verdict
		want string
	}{
		{Verdict{Wall: Sleeping, Share: 0.5, Speedup: 2, Next: OneCore},
			"sleeping: 50 % of 20.0 s; at most 2 times as fast without: then one core is next"},
		{Verdict{Wall: Processes, Share: 0.5}, "starting processes: up to 4,812 in 20.0 s, at least 2.1 ms each"},
		{Verdict{Wall: Storage, Share: 0.999}, "storage: waited for it 99 % of 20.0 s, at 1.6 GB/s"},
		{Verdict{Wall: Unknown, Share: 0.5}, "not known: what it waited for 50 % of 20.0 s (g)"},
	} {
		if got := sentence(&e, test.v, two); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
	for seconds, want := range map[float64]Wall{0.24: Unknown, 0.26: OneCore} { // with less processor time than half
		e := Evidence{Seconds: seconds, Running: seconds, User: 0.11}
		v := judge(&e, []Share{{OneCore, seconds, 1}}, two)
		if v.Wall != want || v.Wall == Unknown && v.Sentence != "not known: it took 240 ms, too short to tell beside others" {
			t.Errorf("%v s: %+v", seconds, v)
		}
	}
	// Its own 0.6 s of processor time in a second are left without others.
	e = Evidence{Seconds: 1, Running: 1, User: 0.6, Queue: 0.4, OtherCPU: 1.4}
	if v := judge(&e, []Share{{OtherPrograms, 1, 1}}, two); math.Abs(v.Speedup-1/0.6) > 1e-9 {
		t.Errorf("beside others: %+v", v)
	}
	e = Evidence{Seconds: 20, Running: 10, User: 18} // a wall's processors are those of the time in which it ran
	if s := sentence(&e, Verdict{Wall: AllCores, Share: 0.5}, two); !strings.HasPrefix(s, "all cores: 1.8 of 2 ") {
		t.Error(s)
	}
	if v := judge(&Evidence{Seconds: 0.019, Running: 0.019}, []Share{{OneCore, 0.019, 1}}, two); v.Wall != Unknown {
		t.Errorf("19 ms: %+v", v)
	}
}
