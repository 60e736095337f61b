package walls

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A constructed situation has a part whose share is known from outside: by pauses that were made, by the processor time
// of the whole process, or by the processor time of the same question without what the part is about.
type constructed struct {
	situation
	without string // the same question, of the file whose name follows, without what the part is about
	slept   *time.Duration
	pinned  bool // to one processor, with the neighbours
	device  bool // limited to so many bytes a second: deviceBytes
}

const (
	partSlack   = 0.10
	deviceBytes = 64 << 20
)

// counted is the processor time of a process, and how long it took.
type counted struct{ busy, took time.Duration }

// TestParts compares parts with what was constructed.
func TestParts(t *testing.T) {
	rounds, _ := strconv.Atoi(os.Getenv("THRESH_WALLS"))
	if rounds == 0 {
		t.Skip("THRESH_WALLS=N runs each situation N times; see make walls")
	}
	d := makeData(t, 1<<29)
	words := func(args string) []string { return strings.Fields(args) }
	expression := []string{"count", "--regex", "(a|b|c|d)[a-z]*[0-9]{3}[^ ]*x?y", "log"}
	var slept time.Duration
	far, all := 0, 0
	for _, c := range []constructed{
		{situation: situation{wall: "its input", args: words("count --lines -"), input: bursts(4<<20, 30*time.Millisecond, &slept)}, slept: &slept},
		{situation: situation{wall: "its input", args: words("grep -c x -"), input: bursts(16<<20, 20*time.Millisecond, &slept)}, slept: &slept},
		{situation: situation{wall: "its output", args: []string{"grep", "", "log"}, output: sips(4<<20, 10*time.Millisecond, &slept)}, slept: &slept},
		{situation: situation{wall: "its output", args: words("minify json"), output: sips(16<<20, 10*time.Millisecond, &slept)}, slept: &slept},
		{situation: situation{wall: "CPU quota", args: expression, quota: 30}},
		{situation: situation{wall: "CPU quota", args: expression, quota: 60}},
		{situation: situation{wall: "other programs", args: expression, burners: 1}, pinned: true},
		{situation: situation{wall: "other programs", args: expression, burners: 3}, pinned: true},
		{situation: situation{wall: "storage", args: words("count --lines --engine pread part"), cold: "part"}, device: true},
		{situation: situation{wall: "storage", args: words("find --nonzero --engine mmap part"), cold: "part"}, device: true},
		{situation: situation{wall: "page faults", args: words("find --nonzero --engine mmap pages")}, without: "zeros"},
		{situation: situation{wall: "page faults", args: words("count --type u8 --eq 1 --engine mmap pages")}, without: "zeros"},
		{situation: situation{wall: "decompression", args: words("count --lines gzip")}, without: "quarter"},
	} {
		for range rounds {
			want, got, r := c.run(t, d, &slept)
			all++
			verdict := ""
			if math.Abs(want-got) > partSlack {
				far++
				verdict = fmt.Sprintf(" FAR: %s\n  %s", r.Verdict, strings.Join(r.Evidence, "\n  "))
			}
			t.Logf("%s, %s: constructed %.0f %%, said %.0f %%%s", c.wall, strings.Join(c.args, " "), 100*want, 100*got, verdict)
		}
	}
	t.Logf("%d of %d parts within 10 points of what was constructed", all-far, all)
	if float64(far) > 0.05*float64(all) {
		t.Errorf("%d of %d parts are farther from what was constructed", far, all)
	}
}

// run returns which share the part has, and which it is said to have.
func (c *constructed) run(t *testing.T, d *data, slept *time.Duration) (want, got float64, r receipt) {
	if c.burners > 0 {
		defer burnPinned(t, c.burners)()
	}
	s := c.situation
	s.burners = 0
	prefix := []string(nil)
	if c.pinned {
		prefix = []string{"taskset", "-c", "0"}
	}
	if c.device {
		prefix = []string{"sh", "-c", `echo $$ >"$0/cgroup.procs" && exec "$@"`, slowDevice(t, d.paths[s.cold])}
	}
	*slept = 0
	r, of := namedBy(t, d, &s, 1, prefix...)
	if c.without != "" {
		r, of = leastOf(t, d, &s, r, of)
	}
	share := func(wall string) (sum float64) {
		for _, p := range r.Parts {
			if p.Name == wall {
				sum += p.Share
			}
		}
		return sum
	}
	own := 1 - share("other programs") - share("the host")
	switch {
	case c.slept != nil:
		return slept.Seconds() / r.Seconds, share(c.wall), r
	case c.without != "":
		least := func(args ...string) time.Duration {
			s := situation{args: args}
			_, of := leastOf(t, d, &s, r, counted{busy: math.MaxInt64})
			return of.busy
		}
		start := least(append(s.args[:len(s.args)-1:len(s.args)-1], "small")...) // of the process, which no receipt counts
		without := least(append(s.args[:len(s.args)-1:len(s.args)-1], c.without)...)
		return 1 - (without-start).Seconds()/(of.busy-start).Seconds(), share(c.wall) / own, r
	}
	return 1 - of.busy.Seconds()/of.took.Seconds(), share(c.wall), r
}

// leastOf repeats a run, and returns the one with the least processor time: others make it longer.
func leastOf(t *testing.T, d *data, s *situation, r receipt, of counted) (receipt, counted) {
	for range 3 {
		if again, o := namedBy(t, d, s, 1); o.busy < of.busy {
			r, of = again, o
		}
	}
	return r, of
}

// bursts writes pieces with pauses, about twenty, and notes how long the pauses were.
func bursts(pieceBytes int, pause time.Duration, slept *time.Duration) func(io.WriteCloser) error {
	return func(w io.WriteCloser) error {
		piece := make([]byte, pieceBytes)
		for i := range piece {
			piece[i] = "word of text\n"[i%13]
		}
		for range 20 {
			if _, err := w.Write(piece); err != nil {
				return err
			}
			began := time.Now()
			time.Sleep(pause)
			*slept += time.Since(began)
		}
		return w.Close()
	}
}

// sips reads pieces with pauses, and notes how long the pauses were.
func sips(pieceBytes int, pause time.Duration, slept *time.Duration) func(io.Reader) error {
	return func(r io.Reader) error {
		piece := make([]byte, pieceBytes)
		for {
			if _, err := io.ReadFull(r, piece); err != nil {
				if err == io.EOF || err == io.ErrUnexpectedEOF {
					return nil
				}
				return err
			}
			began := time.Now()
			time.Sleep(pause)
			*slept += time.Since(began)
		}
	}
}

// burnPinned starts neighbours on the first processor.
func burnPinned(t *testing.T, n int) (stop func()) {
	t.Helper()
	var cmds []*exec.Cmd
	for range n {
		cmd := exec.Command("taskset", "-c", "0", "sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	return func() {
		for _, cmd := range cmds {
			cmd.Process.Kill()
			cmd.Wait() // an error, because of the kill
		}
	}
}

// slowDevice returns a control group that reads deviceBytes a second from the device of a file.
func slowDevice(t *testing.T, path string) string {
	t.Helper()
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/sys/fs/cgroup/blkio", "thresh-walls-")
	if err != nil {
		t.Skipf("no device can be limited: %v", err)
	}
	t.Cleanup(func() { os.Remove(dir) })
	limit := fmt.Sprintf("%d:%d %d", unix.Major(s.Dev), unix.Minor(s.Dev), deviceBytes)
	if err := os.WriteFile(filepath.Join(dir, "blkio.throttle.read_bps_device"), []byte(limit), 0); err != nil {
		t.Skipf("no device can be limited: %v", err)
	}
	return dir
}
