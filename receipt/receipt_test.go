package receipt

import (
	"math"
	"strings"
	"testing"
)

func divided(workerSeconds float64, parts ...Part) Receipt {
	r := Receipt{Bytes: 1 << 30, Seconds: workerSeconds / 2, BytesPerSecond: 4e9}
	r.Divide(workerSeconds, parts)
	return r
}

// TestWall: a part of at least 60 % is the wall, and parts of less than a twentieth are not named.
func TestWall(t *testing.T) {
	for _, test := range []struct {
		parts          []Part
		wall           Wall
		verdict, lever string
	}{
		{[]Part{{Wall: Work, Share: 0.36}, {Wall: Memory, Share: 0.6}, {Wall: Ends, Share: 0.04}}, Memory,
			"memory 60 %, the work itself 36 %", "with faster memory: at most 2.5 times as fast"},
		{[]Part{{Wall: Work, Share: 0.59}, {Wall: Copying, Share: 0.41}}, Mixed,
			"mixed: the work itself 59 %, copying 41 %", "with a faster processor, or a simpler question: at most 2.4 times as fast"},
		{[]Part{{Wall: Storage, Share: 1}}, Storage, "storage 100 %", "with all bytes in memory: perhaps more than 10 times as fast"},
		{[]Part{{Wall: Unknown, Share: 0.7}, {Wall: Host, Share: 0.3}}, Unknown, "not known 70 %, the host 30 %", ""},
		{[]Part{{Wall: Work, Share: 0.9, Stages: []Stage{{"hashing", 0.5}, {"keys", 0.36}, {"numbers", 0.04}}}, {Wall: Memory, Share: 0.1}}, Work,
			"the work itself 90 % (hashing 50 %, keys 36 %), memory 10 %", "with a faster processor, or a simpler question: perhaps more than 10 times as fast"},
	} {
		if r := divided(2, test.parts...); r.Wall != test.wall || r.Verdict != test.verdict || r.Lever != test.lever {
			t.Errorf("%q, %q, %q; want %q, %q, %q", r.Wall, r.Verdict, r.Lever, test.wall, test.verdict, test.lever)
		}
	}
}

// TestAdd: parts of work one after the other count by their time.
func TestAdd(t *testing.T) {
	r := divided(3, Part{Wall: Work, Share: 1, Low: 0.8, High: 1, Stages: []Stage{{"keys", 0.75}, {"hashing", 0.25}}})
	r.Add(divided(1, Part{Wall: Memory, Share: 0.6}, Part{Wall: Work, Share: 0.4, High: 0.8, Stages: []Stage{{"hashing", 0.4}}}))
	r.Add(Receipt{Bytes: 5, Seconds: 0.001, Wall: TooSmall, Verdict: "too small"})
	if r.WorkerSeconds != 4 || len(r.Parts) != 2 || r.Bytes != 2<<30+5 || r.Wall != Work {
		t.Fatalf("%+v", r)
	}
	work, memory := r.Parts[0], r.Parts[1]
	if !near(work.Share, 0.85) || !near(work.Low, 0.6) || !near(work.High, 0.95) || !near(memory.Share, 0.15) {
		t.Errorf("%#v, %#v", work, memory)
	}
	if s := work.Stages; len(s) != 2 || s[0].Name != "keys" || !near(s[0].Share, 0.5625) || !near(s[1].Share, 0.2875) {
		t.Errorf("%+v", s)
	}
	half := Receipt{Bytes: 100, StorageBytes: 50, PeakBytes: 5, BoundBytes: 9}
	half.FromMemory()
	sum := half
	if sum.Add(half); sum.MemoryShare == nil || *sum.MemoryShare != 0.5 || sum.PeakBytes != 5 || sum.BoundBytes != 9 {
		t.Errorf("%+v", sum)
	}
	if sum.Add(Receipt{Bytes: 1}); sum.MemoryShare != nil {
		t.Errorf("the share of memory is not known of all: %+v", sum)
	}
	small := Receipt{Wall: TooSmall, Verdict: "too small"}
	if small.Add(divided(2, Part{Wall: Copying, Share: 1})); small.Wall != Copying {
		t.Errorf("%+v", small)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestBar(t *testing.T) {
	for _, test := range []struct {
		shares []float64
		want   string
	}{
		{nil, ""}, {[]float64{1}, "##########"}, {[]float64{0.6, 0.3, 0.1}, "######===-"},
		{[]float64{0.3, 0.2, 0.2, 0.1, 0.1, 0.1}, "###==--.  "}, {[]float64{0.96, 0.04}, "##########"},
	} {
		var parts []Part
		for i, s := range test.shares {
			parts = append(parts, Part{Wall: []Wall{Work, Memory, Copying, Host, Input, Order}[i], Share: s})
		}
		r := divided(1, parts...)
		if got := r.Bar(10, "#=-."); got != test.want {
			t.Errorf("%v: %q, want %q", test.shares, got, test.want)
		}
	}
}

// TestTexts: the line is for people, and the full form has everything.
func TestTexts(t *testing.T) {
	r := divided(2, Part{Wall: Work, Share: 0.75, Low: 0.5, High: 0.8, Stages: []Stage{{"keys", 0.75}}}, Part{Wall: Memory, Share: 0.25})
	r.Skipped, r.StorageBytes, r.WrittenBytes, r.Kernel, r.KernelBytesPerSecond = 4096, 1<<20, 512, "fields avx2", 2e9
	r.Engines, r.Evidence, r.Plan = []EngineUse{{Engine: "mmap", Workers: 2, Bytes: 1 << 30}}, []string{"counted"}, []string{"planned"}
	r.Next, r.Memory, r.PeakBytes, r.BoundBytes = "the next question", "less memory", 12<<20, 256<<20
	r.FromMemory()
	want := "1.00 GiB in 1.000 s, 4.00 GB/s (and 4.00 KiB of holes skipped): the work itself 75 % (keys 75 %), memory 25 %; less memory; the next question"
	if got := r.Line(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	temporary := Receipt{WrittenBytes: 512, TempBytes: 256}
	if temporary.Add(temporary); !strings.Contains(temporary.Full(), "written:   1.00 KiB, of that 512 bytes to temporary files\n") {
		t.Error(temporary.Full())
	}
	full := r.Full()
	for _, part := range []string{"2 s of workers, 2 × 1.000 s\n", " 75.0 %  the work itself (50 to 80 %)\n", " 75.0 %  keys\n", "lever:     with a faster",

		"storage:   1.00 MiB fetched from it, so 100 % of the bytes came from memory\n",
		"memory:    12.00 MiB of its own at most, of 256.00 MiB allowed\n",
		"written:   512 bytes of results", "engine:    mmap, 2 workers, 1.00 GiB\n", "kernel:    fields avx2, 2.00 GB/s a worker", "plan:      planned\n",
		"evidence:  counted\n", "note:      less memory\n", "note:      the next question\n"} {
		if !strings.Contains(full, part) {
			t.Errorf("%q is not in\n%s", part, full)
		}
	}
}
