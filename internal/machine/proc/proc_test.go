package proc

import (
	"reflect"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	for _, test := range []struct {
		text string
		want Stat
	}{
		{"26596 (bash) S 26571 26570 17194 0 -1 4194368 68 2 3 4 5 6 7 8 20 0 9 0 1330119 4595712 412\n", Stat{
			PID: 26596, PPID: 26571, Session: 17194, State: 'S',
			MinorFaults: 68, ChildrenMinorFaults: 2, MajorFaults: 3, ChildrenMajorFaults: 4,
			User: 50 * time.Millisecond, System: 60 * time.Millisecond,
			ChildrenUser: 70 * time.Millisecond, ChildrenSystem: 80 * time.Millisecond, Threads: 9, Start: 1330119,
		}},
		{"7 (a) b) R 1) D 1 2 3 4 -1 6 0 0 0 0 0 0 0 0 20 -5 1 0 99\n", Stat{PID: 7, PPID: 1, Session: 3, State: 'D', Threads: 1, Start: 99}},
		{"7 () Z 1 2 3 4 -1 6 0 0 0 0 0 0 0 0 20 0 1 0 0", Stat{PID: 7, PPID: 1, Session: 3, State: 'Z', Threads: 1}},
	} {
		got, err := ParseStat([]byte(test.text))
		if err != nil || got != test.want {
			t.Errorf("%q: %+v, %v, want %+v", test.text, got, err, test.want)
		}
		for cut := range len(test.text) - 8 { // each shorter text lacks a field, or its last digits
			if s, err := ParseStat([]byte(test.text[:cut])); err == nil && s.Start != 0 && s.Start != test.want.Start && s.Start*10 > test.want.Start {
				t.Errorf("%q: %+v", test.text[:cut], s)
			}
		}
	}
	if got := Name([]byte("7 (a) b) R 1) D 1")); got != "a) b) R 1" {
		t.Errorf("the name is %q", got)
	}
	for _, text := range []string{"", "7", "7 (", "7 )(", "7 (a)", "7 (a) S", "x (a) S 1", "7 (a) S 1 2 3"} {
		if s, err := ParseStat([]byte(text)); err == nil {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

func TestParseOthers(t *testing.T) {
	if s, err := ParseSched([]byte("1170230 13570 2\n")); err != nil || s != (Sched{Run: 1170230, Wait: 13570, Slices: 2}) {
		t.Errorf("schedstat: %+v, %v", s, err)
	}
	if s, err := ParseSched([]byte("1170230 13570")); err == nil {
		t.Errorf("a schedstat without slices: %+v", s)
	}
	io, err := ParseIO([]byte("rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\ncancelled_write_bytes: 7\n"))
	if err != nil || io != (IO{1, 2, 3, 4, 5, 6}) {
		t.Errorf("io: %+v, %v", io, err)
	}
	for _, text := range []string{"rchar 1\n", "rchar: x\n"} {
		if io, err := ParseIO([]byte(text)); err == nil {
			t.Errorf("io %q: %+v", text, io)
		}
	}
	c, ok := ParseCall([]byte("230 0x0 0xf 0x7ffe116f6ea0 0x1 0x2 0xffffffffffffffff 0x7ffe116f6e88 0x7fdadf9b8503\n"))
	if want := (Call{230, [6]uint64{0, 15, 0x7ffe116f6ea0, 1, 2, 1<<64 - 1}}); !ok || c != want {
		t.Errorf("syscall: %+v, %v", c, ok)
	}
	if c, ok := ParseCall([]byte("-1 0x7ffe 0x7fda\n")); !ok || c.Number != -1 {
		t.Errorf("outside of a call: %+v, %v", c, ok)
	}
	for _, text := range []string{"running\n", "", "230 0x0 0x0", "230 1 2 3 4 5 6"} {
		if c, ok := ParseCall([]byte(text)); ok {
			t.Errorf("syscall %q: %+v", text, c)
		}
	}
	if got := AppendNumbers([]int{1}, []byte("20 300 \n")); !reflect.DeepEqual(got, []int{1, 20, 300}) {
		t.Errorf("children: %v", got)
	}
	if pid, err := ParseLastPID([]byte("0.20 0.18 0.12 1/80 11206\n")); err != nil || pid != 11206 {
		t.Errorf("last: %d, %v", pid, err)
	}
	if pid, err := ParseLastPID(nil); err == nil {
		t.Errorf("last of nothing: %d", pid)
	}
	busy, steal, err := ParseBusy([]byte("cpu  1 2 4 1000 2000 8 16 32 0 0\ncpu0 1 2 3\n"))
	if err != nil || busy != 310*time.Millisecond || steal != 320*time.Millisecond {
		t.Errorf("stat: %v, %v, %v", busy, steal, err)
	}
	if _, _, err := ParseBusy([]byte("cpu 1 2 3")); err == nil {
		t.Error("a stat with three fields")
	}
	p, err := ParsePressure([]byte("some avg10=0.00 avg60=0.01 avg300=0.39 total=28417498\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=9\n"))
	if err != nil || p != 28417498*time.Microsecond {
		t.Errorf("pressure: %v, %v", p, err)
	}
	for _, bad := range []string{"", "full total=9", "some avg10=0\n", "some x total=y\n"} {
		if p, err := ParsePressure([]byte(bad)); err == nil {
			t.Errorf("pressure %q: %v", bad, p)
		}
	}
}

func TestIO(t *testing.T) {
	sum := IO{1, 2, 3, 4, 5, 6}
	sum.Add(IO{10, 20, 30, 40, 50, 60})
	if want := (IO{11, 22, 33, 44, 55, 66}); sum != want {
		t.Errorf("%+v, want %+v", sum, want)
	}
	if got, want := sum.Since(IO{1, 2, 3, 44, 56, 6}), (IO{10, 20, 30, 0, 0, 60}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestParseAllocatesNothing: a sample parses some hundred files.
func TestParseAllocatesNothing(t *testing.T) {
	stat := []byte("26596 (bash) S 26571 26570 17194 0 -1 4194368 68 2 3 4 5 6 7 8 20 0 9 0 1330119 4595712 412\n")
	io := []byte("rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n")
	if n := testing.AllocsPerRun(100, func() {
		if _, err := ParseStat(stat); err != nil {
			t.Error(err)
		}
		if _, err := ParseSched(stat[:0]); err == nil {
			t.Error("no error")
		}
		if _, err := ParseIO(io); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestField(t *testing.T) {
	text := []byte("model name\t: A: B\nMemAvailable:   17 kB\nMemFree: x kB\nHugePages_Total: 3\nMemAvailable: 1 kB\n")
	if v, ok := Field(text, "model name"); v != "A: B" || !ok {
		t.Errorf("%q, %v", v, ok)
	}
	if v, ok := Field(text, "model"); ok {
		t.Errorf("a field that is not there is %q", v)
	}
	for _, c := range []struct {
		name string
		want int64
		ok   bool
		err  error
	}{
		{"MemAvailable", 17 << 10, true, nil}, {"MemTotal", 0, false, nil},
		{"MemFree", 0, true, ErrFormat}, {"HugePages_Total", 0, true, ErrFormat},
	} {
		if n, ok, err := FieldBytes(text, c.name); n != c.want || ok != c.ok || err != c.err {
			t.Errorf("%s: %d, %v, %v", c.name, n, ok, err)
		}
	}
}
