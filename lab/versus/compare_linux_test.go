package versus

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/gen"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

func sh(script, want string) contender {
	return contender{name: "sh", args: []string{"sh", "-c", script}, want: want}
}

// TestWrongAnswersFail checks that a wrong answer is an error and gives no rate.
func TestWrongAnswersFail(t *testing.T) {
	differs := sh("echo 'a b differ: byte 8, line 1'; exit 1", "7")
	differs.status, differs.answer = 1, peer.ParseCmp
	for _, good := range []contender{sh("echo 7", "7"), differs} {
		if rate, err := good.sample(context.Background(), 1000); err != nil || rate <= 0 {
			t.Errorf("%v: rate %g, error %v", good.args, rate, err)
		}
	}
	missing := contender{name: "missing", args: []string{"/nowhere/program"}}
	for _, bad := range []contender{
		sh("echo 8", "7"), sh("echo 7; exit 1", "7"), sh("echo 7; kill -9 $$", "7"), sh(":", "7"), missing,
	} {
		if rate, err := bad.sample(context.Background(), 1000); err == nil {
			t.Errorf("%v: no error, rate %g", bad.args, rate)
		}
	}
}

// TestLostSamplesAreRepeated checks that a sample during which the state was lost does not count.
func TestLostSamplesAreRepeated(t *testing.T) {
	begun, lost := 0, 2
	st := state{
		before: func() error { begun++; return nil },
		after: func() error {
			if lost--; lost >= 0 {
				return pagecache.ErrLost
			}
			return nil
		},
	}
	c := sh("echo 7", "7")
	if _, err := sampleIn(context.Background(), st, 1, &c); err != nil || begun != 3 {
		t.Errorf("error %v after %d samples, want none after 3", err, begun)
	}
	lost = 1000
	if _, err := sampleIn(context.Background(), st, 1, &c); !errors.Is(err, pagecache.ErrLost) {
		t.Errorf("error %v, want pagecache.ErrLost", err)
	}
}

// TestRoundsTakeTurns checks that sides alternate, and that the first round is dropped.
func TestRoundsTakeTurns(t *testing.T) {
	var order []string
	side := func(name string) contender {
		c := sh(":", "")
		c.rate = func(peer.Output) (float64, error) {
			order = append(order, name)
			return float64(len(order)), nil
		}
		return c
	}
	b := &bench{ctx: t.Context(), Comparison: lab.Comparison{Rounds: 2, Log: io.Discard}}
	rates := b.measure(anyState, 1, side("A"), side("B"))
	if got := strings.Join(order, ""); got != "ABBAAB" {
		t.Errorf("order %s", got)
	}
	if len(rates[0]) != 2 || rates[0][0] != 4 || rates[0][1] != 5 || rates[1][0] != 3 || rates[1][1] != 6 {
		t.Errorf("rates %v", rates)
	}
}

func TestChildren(t *testing.T) {
	path := filepath.Join(t.TempDir(), "haystack")
	if err := gen.Haystack(path, 3<<20); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ work, want string }{
		{"needle v03 " + path + " 1", "3145720\n"},
		{"needle v07 " + path + " 2", "3145720\n"},
		{"read " + path, "3145728\n"},
	}
	for _, test := range tests {
		var out bytes.Buffer
		if err := child(strings.Fields(test.work), &out); err != nil || out.String() != test.want {
			t.Errorf("%s: %q, error %v; want %q", test.work, out.String(), err, test.want)
		}
	}
	var out bytes.Buffer
	if err := child([]string{"memory", "4194304", "3"}, &out); err != nil {
		t.Fatal(err)
	}
	if rate, err := parseMemory(out.String()); err != nil || rate <= 0 {
		t.Errorf("rate %g, error %v", rate, err)
	}
	for _, bad := range []string{"", "needle v99 " + path + " 1", "needle v03 /nowhere 1", "read /nowhere", "memory x 1"} {
		if err := child(strings.Fields(bad), io.Discard); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestHalves(t *testing.T) {
	const size = 300 << 20
	var cached int64
	last := int64(-1)
	for _, r := range stripes(size) {
		if r.Off <= last || r.End > size {
			t.Errorf("stripe %v", r)
		}
		last = r.End
		cached += r.Len()
	}
	if cached != (64+64+44)<<20 {
		t.Errorf("%d bytes in stripes", cached)
	}
	if h := halves(size); len(h) != 1 || h[0].Len() != size/2 {
		t.Errorf("half is %v", h)
	}
}

// TestEnded checks that a case ends at its first error, with it, and that a mistake of the program is not taken for one.
func TestEnded(t *testing.T) {
	went := 0
	err := ended(func() {
		went = try(1, nil)
		check(nil)
		try(2, pagecache.ErrLost)
		went = 3
	})
	if !errors.Is(err, pagecache.ErrLost) || went != 1 {
		t.Errorf("error %v after step %d", err, went)
	}
	if err := ended(func() {}); err != nil {
		t.Error(err)
	}
	defer func() {
		if recover() != "mistake" {
			t.Error("a mistake is lost")
		}
	}()
	ended(func() { panic("mistake") })
}

func TestScaled(t *testing.T) {
	for _, test := range []struct{ haystack, bytes, want int64 }{
		{4 << 30, 10_000_000_000, 10_000_000_000},
		{2 << 30, 1_500_000_000, 750_000_000},
		{64 << 30, 10_000_000_000, 160_000_000_000},
	} {
		b := &bench{Comparison: lab.Comparison{Bytes: test.haystack}}
		if got := b.scaled(test.bytes); got != test.want {
			t.Errorf("%d bytes beside a haystack of %d: %d, want %d", test.bytes, test.haystack, got, test.want)
		}
	}
}

// TestData checks that an existing file is not made again, and that a failure leaves no file.
func TestData(t *testing.T) {
	d := &data{folder: t.TempDir()}
	made := 0
	write := written(func(f *os.File) error {
		made++
		_, err := f.WriteString("12345678")
		return err
	})
	for range 2 {
		s, err := d.file("some", 8, write)
		if err != nil || s.Bytes != 8 || made != 1 {
			t.Fatalf("%+v, error %v, made %d times", s, err, made)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	failing := func(path string) error { return errors.Join(write(path), pagecache.ErrLost) }
	if _, err := d.file("other", 8, failing); !errors.Is(err, pagecache.ErrLost) {
		t.Errorf("error %v, want pagecache.ErrLost from the maker", err)
	}
	if left, err := os.ReadDir(d.folder); err != nil || len(left) != 1 {
		t.Errorf("left %v, error %v; want one file", left, err)
	}
	if _, err := d.file("huge", 1<<60, write); err == nil || !strings.Contains(err.Error(), "too little") {
		t.Errorf("error %v for a file that does not fit on the disk", err)
	}
}
