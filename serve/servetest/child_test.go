//go:build linux

package servetest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/thresh-dev/thresh/serve"
)

// childServer is a server in a process of its own, with its own limits and counters.
type childServer struct {
	server
	metrics string // address
	pid     int
	stderr  lockedBuffer
}

// lockedBuffer is a buffer that is safe for concurrent use.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// startChild serves root in a child process: this test binary with SERVETEST_CHILD set.
func startChild(t *testing.T, root, log string, descriptors int) *childServer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "SERVETEST_CHILD="+root, "SERVETEST_LOG="+log, fmt.Sprint("SERVETEST_NOFILE=", descriptors))
	k := &childServer{}
	cmd.Stderr = &k.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stdin.Close(); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the child: %v\n%s", err, k.stderr.String())
		}
	})
	k.pid = cmd.Process.Pid
	if _, err := fmt.Fscan(bufio.NewReader(stdout), &k.addr, &k.metrics); err != nil {
		t.Fatalf("the child does not say where it serves: %v", err)
	}
	return k
}

// child is the main function of the child: it serves until the end of its standard input.
func child(root string) int {
	if err := serveChild(root); err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		return 1
	}
	return 0
}

func serveChild(root string) error {
	n, err := strconv.Atoi(os.Getenv("SERVETEST_NOFILE"))
	if err != nil {
		return err
	}
	if n > 0 {
		limit := syscall.Rlimit{Cur: uint64(n), Max: uint64(n)}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			return err
		}
	}
	o := serve.Options{LimitRate: 1 << 40, Hosts: []string{"*"}, ErrorLog: func(err error) { fmt.Fprintln(os.Stderr, "error:", err) }}
	if path := os.Getenv("SERVETEST_LOG"); path != "" {
		log, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		o.AccessLog = log
	}
	s, err := serve.New(root, o)
	if err != nil {
		return err
	}
	files, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	figures, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	about := &http.Server{Handler: s.Metrics()}
	served := make(chan error, 2)
	go func() { served <- s.Serve(files) }()
	go func() { served <- about.Serve(figures) }()
	fmt.Println(files.Addr(), figures.Addr())
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := errors.Join(s.Shutdown(ctx), about.Shutdown(ctx)); err != nil {
		return err
	}
	for range 2 {
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			return err
		}
	}
	return nil
}

// figure returns a metric's value by its name with labels; 0 if it is absent.
func (k *childServer) figure(t *testing.T, name string) int64 {
	t.Helper()
	r, err := exchange(k.metrics, get("GET", "/metrics", "HTTP/1.1", "Connection: close"))
	if err != nil || r.status != 200 {
		t.Fatalf("metrics: %d, %v", r.status, err)
	}
	for line := range strings.Lines(string(r.body)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), name+" "); ok {
			f, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatalf("metrics: %q: %v", line, err)
			}
			return int64(f)
		}
	}
	return 0
}

// calls returns how many writing system calls the child has made, from /proc/PID/io, which counts
// sendfile, too.
func (k *childServer) calls(t *testing.T) int64 {
	t.Helper()
	for line := range strings.Lines(string(body(t, fmt.Sprintf("/proc/%d/io", k.pid)))) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "syscw: "); ok {
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("the kernel does not count system calls")
	return 0
}

// TestOutOfDescriptors opens more connections than the server has descriptors for. It serves again
// when they are closed.
func TestOutOfDescriptors(t *testing.T) {
	leavesNothing(t)
	k := startChild(t, tree(t), "", 48)
	k.alive(t)
	var held []net.Conn
	for range 80 {
		c, err := net.Dial("tcp", k.addr)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
		if _, err := io.WriteString(c, get("GET", "/one", "HTTP/1.1")); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range held {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"/one", "/4k.bin", "/3m.bin", "/nested/"} {
		r, err := exchange(k.addr, get("GET", name, "HTTP/1.1", "Connection: close"))
		if err != nil || r.status != 200 {
			t.Errorf("%s afterwards: %d, %v", name, r.status, err)
		}
	}
}

// TestLogOnFullDisk writes the access log to a full disk. The server must keep serving.
func TestLogOnFullDisk(t *testing.T) {
	leavesNothing(t)
	k := startChild(t, tree(t), "/dev/full", 0)
	for range 200 {
		r, err := exchange(k.addr, get("GET", "/4k.bin", "HTTP/1.1", "Connection: close"))
		if err != nil || r.status != 200 || len(r.body) != 4096 {
			t.Fatalf("%d with %d bytes, %v", r.status, len(r.body), err)
		}
	}
	k.alive(t)
}
