//go:build linux

package servetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/serve"
	"go.uber.org/goleak"
)

// patience is how long a test waits for anything on a busy machine.
const patience = time.Minute

func TestMain(m *testing.M) {
	if role := os.Getenv("SERVETEST_CHILD"); role != "" {
		os.Exit(child(role))
	}
	goleak.VerifyTestMain(m)
}

// server is a server under test.
type server struct {
	addr   string
	Server *serve.Server // nil if it is a binary

	mu   sync.Mutex
	errs []string
}

// start serves path until the end of the test, and then checks that nothing is left over.
func start(t *testing.T, path string, o serve.Options) *server {
	t.Helper()
	if bin := os.Getenv("THRESH_BIN"); bin != "" {
		return startBinary(t, bin, path, o)
	}
	return startHere(t, path, o)
}

// startHere is start with the server in this process, whatever THRESH_BIN says.
func startHere(t *testing.T, path string, o serve.Options) *server {
	t.Helper()
	leavesNothing(t)
	s := &server{}
	if o.ErrorLog == nil {
		o.ErrorLog = func(err error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.errs = append(s.errs, err.Error())
		}
	}
	if o.Hosts == nil {
		o.Hosts = []string{"*"}
	}
	var err error
	if s.Server, err = serve.New(path, o); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = l.Addr().String()
	served := make(chan error, 1)
	go func() { served <- s.Server.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := s.Server.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("Serve returned %v", err)
		}
	})
	return s
}

var servingAt = regexp.MustCompile(`at https?://([0-9.]+:[0-9]+)`)

// startBinary is start with the server in a process of its own.
func startBinary(t *testing.T, bin, path string, o serve.Options) *server {
	t.Helper()
	args := []string{"serve", "--addr", "127.0.0.1:0", "--host", "*"}
	flag := func(name, value string, given bool) {
		if given {
			args = append(args, "--"+name, value)
		}
	}
	flag("tls-cert", o.TLSCert, o.TLSCert != "")
	flag("tls-key", o.TLSKey, o.TLSKey != "")
	flag("header-timeout", o.HeaderTimeout.String(), o.HeaderTimeout > 0)
	flag("idle", o.IdleTimeout.String(), o.IdleTimeout > 0)
	flag("send-timeout", o.SendTimeout.String(), o.SendTimeout > 0)
	flag("limit-rate", strconv.FormatInt(o.LimitRate, 10), o.LimitRate > 0)
	flag("max-conns", strconv.Itoa(o.MaxConns), o.MaxConns > 0)
	flag("max-conns-per-ip", strconv.Itoa(o.MaxConnsPerIP), o.MaxConnsPerIP > 0)
	for name, hash := range o.Users {
		flag("auth", name+":"+hash, true)
	}
	cmd := exec.Command(bin, append(args, path)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &server{}
	ready, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if m := servingAt.FindStringSubmatch(lines.Text()); m != nil {
				ready <- m[1]
				continue
			}
			s.mu.Lock()
			s.errs = append(s.errs, lines.Text())
			s.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Errorf("stop %s: %v", bin, err)
		}
		<-ended
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", bin, err, s.logged())
		}
	})
	select {
	case s.addr = <-ready:
	case <-ended:
		t.Fatalf("%s ended:\n%s", bin, s.logged())
	case <-time.After(patience):
		t.Fatalf("%s does not say where it serves:\n%s", bin, s.logged())
	}
	return s
}

// logged returns the server's error log.
func (s *server) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.errs, "\n")
}

// url returns the URL of an encoded path.
func (s *server) url(path string) string { return "http://" + s.addr + path }

// alive fails the test unless the server responds to a small request.
func (s *server) alive(t *testing.T) {
	t.Helper()
	r, err := exchange(s.addr, "GET /one HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if err != nil {
		t.Fatalf("the server does not answer any more: %v", err)
	}
	if r.status != 200 || string(r.body) != "1" {
		t.Fatalf("the server answers %d %q", r.status, r.body)
	}
}

// leavesNothing checks at the end of the test that there are no more goroutines and descriptors
// than now.
func leavesNothing(t *testing.T) {
	t.Helper()
	warm(t)
	others := goleak.IgnoreCurrent()
	before := descriptors(t)
	t.Cleanup(func() {
		if err := goleak.Find(others); err != nil {
			t.Error(err)
		}
		eventually(t, func() error {
			if after := descriptors(t); len(after) > len(before) {
				return fmt.Errorf("descriptors: %d before, %d after: %v", len(before), len(after), after)
			}
			return nil
		})
	})
}

// warm makes the process open the descriptors that it keeps: the network poller.
var warm = func() func(*testing.T) {
	var once sync.Once
	return func(t *testing.T) {
		once.Do(func() {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}()

// descriptors returns the open descriptors of this process.
func descriptors(t *testing.T) (open []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil { // else it was the descriptor of the folder itself
			open = append(open, e.Name()+" "+to)
		}
	}
	return open
}

// eventually waits until check returns nil.
func eventually(t *testing.T, check func() error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Error(err)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// output runs a client, which must exit with status 0, and returns what it printed.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := run(t, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// run runs a client for at most a minute.
func run(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	return string(out), err
}

// body reads a file of the test.
func body(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
