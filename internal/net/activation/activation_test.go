//go:build unix

package activation

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The test binary is also the service that a test starts with sockets. LISTEN_PID must be the
// service's own, so a shell sets it and execs the service.
func TestMain(m *testing.M) {
	if os.Getenv("ACTIVATION_TEST_SERVICE") != "" {
		service()
		return
	}
	os.Exit(m.Run())
}

// service prints which addresses it has for its two names.
func service() {
	s, err := Inherit("main", "metrics")
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	if os.Getenv("LISTEN_FDS") != "" {
		fmt.Println("error: LISTEN_FDS is still set")
	}
	for _, name := range []string{"main", "metrics"} {
		if !s.Has(name) {
			fmt.Println(name, "none")
			continue
		}
		l, err := s.Listen(name, "not an address")
		if err != nil {
			fmt.Println("error:", err)
			continue
		}
		fmt.Println(name, l.Addr())
		if err := l.Close(); err != nil {
			fmt.Println("error:", err)
		}
	}
	if err := s.Close(); err != nil {
		fmt.Println("error:", err)
	}
}

// start runs the service with those sockets and names, and returns what it printed.
func start(t *testing.T, names string, sockets ...*os.File) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0"`, self)
	cmd.Env = append(os.Environ(), "ACTIVATION_TEST_SERVICE=1", fmt.Sprint("LISTEN_FDS=", len(sockets)))
	if names != "" {
		cmd.Env = append(cmd.Env, "LISTEN_FDNAMES="+names)
	}
	cmd.ExtraFiles = sockets
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func socket(t *testing.T) (*os.File, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, addr
}

func TestInherit(t *testing.T) {
	one, oneAddr := socket(t)
	two, twoAddr := socket(t)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, c := range []struct {
		what, names string
		sockets     []*os.File
		want        string
	}{
		{"none", "", nil, "main none\nmetrics none\n"},
		{"one without a name", "", []*os.File{one}, "main " + oneAddr + "\nmetrics none\n"},
		{"one with systemd's name", "app.socket", []*os.File{one}, "main " + oneAddr + "\nmetrics none\n"},
		{"metrics first", "metrics:app.socket", []*os.File{one, two}, "main " + twoAddr + "\nmetrics " + oneAddr + "\n"},
		{"only metrics", "metrics", []*os.File{one}, "main none\nmetrics " + oneAddr + "\n"},
		{"two for one", "main:app.socket", []*os.File{one, two},
			"error: systemd passed two sockets for \"main\": name each of them with FileDescriptorName=\n"},
	} {
		if got := start(t, c.names, c.sockets...); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
	if got := start(t, "app.socket", null); !strings.HasPrefix(got, `error: socket "app.socket" of systemd: `) ||
		!strings.Contains(got, "ListenStream=") {
		t.Errorf("no socket: %q", got)
	}
}

func TestListen(t *testing.T) {
	s, err := Inherit("main")
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Listen("main", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	u, err := s.Listen("main", "unix:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[string]string{
		l.Addr().String():       "another process listens there",
		"unix:" + path:          "another process listens there",
		"unix:" + dir + "/no/s": "the folder of the socket must exist",
		"unix:" + dir + "/file": "there is a file that is not a socket",
		"127.0.0.1:99999":       "an address is host:port",
		"localhost":             "an address is host:port",
		"192.0.2.1:0":           "this machine has no such address",
	} {
		l, err := s.Listen("main", addr)
		if err == nil {
			l.Close()
			t.Errorf("listens on %s", addr)
			continue
		}
		if !strings.HasPrefix(err.Error(), "listen on "+addr+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("listen on %s: %v", addr, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "file")); err != nil {
		t.Errorf("a file that is no socket was removed: %v", err)
	}
}

// The socket file of a process that has ended is replaced.
func TestStaleSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	old, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	old.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Inherit("main")
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Listen("main", "unix:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestNotify(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	if err := Ready(); err != nil {
		t.Errorf("without a service manager: %v", err)
	}
	path := filepath.Join(t.TempDir(), "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("NOTIFY_SOCKET", path)
	r := bufio.NewReaderSize(manager, 100)
	for want, say := range map[string]func() error{"READY=1": Ready, "STOPPING=1": Stopping} {
		if err := say(); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 100)
		n, err := r.Read(got)
		if err != nil || string(got[:n]) != want {
			t.Errorf("%q, %v; want %s", got[:n], err, want)
		}
	}
	if err := manager.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err := Ready(); err == nil || !strings.Contains(err.Error(), "READY=1") {
		t.Errorf("with a manager that is gone: %v", err)
	}
}
