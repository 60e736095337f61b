package relay

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// child runs the test binary as a relay in a process of its own, with the limits and the user that
// a test chose. It prints its address and then its errors. It stops at the end of its standard
// input, and prints its Stats.
func child(what string) bool {
	if what == "" {
		return false
	}
	if err := relayAlone(what); err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
	return true
}

func relayAlone(what string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if what == "few descriptors" {
		if err := fewDescriptors(); err != nil {
			return err
		}
	}
	r, err := New(os.Getenv("RELAY_TEST_TARGET"), Options{DialTimeout: time.Second,
		ErrorLog: func(err error) { fmt.Println("error:", err) }})
	if err != nil {
		return err
	}
	switch what {
	case "fewer descriptors":
		if err := fewDescriptors(); err != nil {
			return err
		}
	case "few pipes":
		// Other programs of this user take most of the budget.
		for range 52 {
			var ends [2]int
			if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
				return err
			}
			if _, err := unix.FcntlInt(uintptr(ends[0]), unix.F_SETPIPE_SZ, 1<<20); errors.Is(err, unix.EPERM) {
				break // other tests have it
			} else if err != nil {
				return err
			}
		}
	}
	served := make(chan error, 1)
	go func() { served <- r.Serve(l) }()
	fmt.Println(l.Addr())
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	if err := r.Shutdown(ctx); err != nil {
		return err
	}
	if err := <-served; !errors.Is(err, net.ErrClosed) {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r.Stats())
}

// fewDescriptors allows descriptors for some 16 connections.
func fewDescriptors() error {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	limit := syscall.Rlimit{Cur: uint64(len(list)) + 32, Max: uint64(len(list)) + 32}
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
}

// relayProcess is a running child.
type relayProcess struct {
	addr  net.Addr
	mu    sync.Mutex
	lines []string
	stop  func() Stats
}

func (p *relayProcess) reported() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines
}

// spawn starts a child. If a test asks for that, and we are root, the child runs as the user
// nobody.
func spawn(t *testing.T, what string, target net.Addr, nobody bool) *relayProcess {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if nobody && os.Geteuid() == 0 {
		attr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
		self = copyFor(t, self)
	}
	cmd := exec.Command(self)
	cmd.Dir = "/"
	cmd.SysProcAttr = attr
	cmd.Env = append(os.Environ(), "RELAY_TEST_CHILD="+what, "RELAY_TEST_TARGET="+target.String())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the child says nothing")
	}
	p := &relayProcess{}
	if p.addr, err = net.ResolveTCPAddr("tcp", lines.Text()); err != nil {
		t.Fatal(err)
	}
	stats := make(chan Stats, 1)
	go func() {
		var s Stats
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "error: "); ok {
				p.mu.Lock()
				p.lines = append(p.lines, text)
				p.mu.Unlock()
			} else if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
				t.Errorf("%q: %v", lines.Text(), err)
			}
		}
		stats <- s
	}()
	p.stop = sync.OnceValue(func() Stats {
		in.Close()
		s := <-stats
		if err := cmd.Wait(); err != nil {
			t.Errorf("the child: %v", err)
		}
		return s
	})
	t.Cleanup(func() { p.stop() })
	return p
}

// copyFor copies the test binary to where any user may run it.
func copyFor(t *testing.T, self string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "relay-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	name := filepath.Join(dir, "relay.test")
	text, err := os.ReadFile(self)
	if err = errors.Join(err, os.Chmod(dir, 0o755), os.WriteFile(name, text, 0o755)); err != nil {
		t.Fatal(err)
	}
	return name
}

// askAll opens connections, sends a byte on each, and closes it at the answer or the end of the
// stream. It returns how many were answered.
func askAll(t *testing.T, addr net.Addr, clients int) (answered int) {
	t.Helper()
	answers := make(chan bool, clients)
	for range clients {
		c := dial(t, addr)
		go func() {
			c.Write([]byte{1})
			_, err := io.ReadFull(c, make([]byte, 1))
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("a client was neither answered nor rejected")
			}
			c.Close()
			answers <- err == nil
		}()
	}
	for range clients {
		if <-answers {
			answered++
		}
	}
	return answered
}

// With few descriptors clients wait, one error says why, and all are served in the end.
func TestFewDescriptors(t *testing.T) {
	p := spawn(t, "few descriptors", target(t, "tcp", func(c half) {
		time.Sleep(5 * time.Millisecond) // so that they pile up
		echo(c)
	}), false)
	const clients = 100
	if n := askAll(t, p.addr, clients); n != clients {
		t.Errorf("%d of %d clients were served", n, clients)
	}
	if s := p.stop(); s.Connections != clients || s.DialFailures != 0 {
		t.Errorf("%+v", s)
	}
	if reports := p.reported(); len(reports) == 0 || !strings.Contains(reports[0], "which is the limit") {
		t.Errorf("errors: %q", reports)
	}
}

// When other code has used up the descriptors, clients wait and may be rejected; errors say why,
// and afterwards everything works as before.
func TestFewerDescriptors(t *testing.T) {
	p := spawn(t, "fewer descriptors", target(t, "tcp", echo), false)
	var idle []half // as many as it accepts
	for range 60 {
		idle = append(idle, dial(t, p.addr))
	}
	eventually(t, "an error", func() bool { return len(p.reported()) > 0 })
	if reports := p.reported(); !strings.Contains(reports[0], "too many open files") ||
		!strings.Contains(reports[0], "ulimit -n") {
		t.Errorf("errors: %q", reports)
	}
	for _, c := range idle {
		c.Close()
	}
	eventually(t, "a client is served", func() bool { return askAll(t, p.addr, 1) == 1 })
	if n := askAll(t, p.addr, 5); n != 5 {
		t.Errorf("%d of 5 clients were served afterwards", n)
	}
}

// Many connections of an ordinary user, whose other programs have most of the pipe budget: splices
// move large pieces, everything else is copied.
func TestFewPipes(t *testing.T) {
	const connections, size = 200, 2 << 20
	at := target(t, "tcp", func(c half) {
		c.Write(make([]byte, size))
	})
	p := spawn(t, "few pipes", at, true)
	var all sync.WaitGroup
	for range connections {
		c := dial(t, p.addr)
		all.Go(func() {
			if n, err := io.Copy(io.Discard, struct{ io.Reader }{c}); n != size || err != nil {
				t.Errorf("%d of %d bytes: %v", n, size, err)
			}
			c.Close()
		})
	}
	all.Wait()
	s := p.stop()
	if s.Bytes != connections*size || s.Connections != connections {
		t.Errorf("%d bytes of %d connections", s.Bytes, s.Connections)
	}
	t.Logf("%d of %d bytes by splice, in %d calls", s.Spliced, s.Bytes, s.SpliceCalls)
	if s.Spliced == 0 {
		t.Error("nothing was spliced")
	}
	// Pipes of two slots would move 8 KiB per pair of calls.
	if perCall := s.Spliced / max(s.SpliceCalls, 1); perCall < 8<<10 {
		t.Errorf("%d bytes a call", perCall)
	}
}
