package serve

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestDescriptorsRunOut serves in a process with few descriptors until accept fails, and checks
// that it continues once there are some again.
func TestDescriptorsRunOut(t *testing.T) {
	if os.Getenv("SERVE_FEW_FILES") != "" {
		serveWithFewFiles(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestDescriptorsRunOut$", "-test.v")
	cmd.Env = append(os.Environ(), "SERVE_FEW_FILES=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "served again") {
		t.Fatalf("%v\n%s", err, out)
	}
}

func serveWithFewFiles(t *testing.T) {
	const files = 64
	r := start(t, nil)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: files, Max: files}); err != nil {
		t.Fatal(err)
	}
	failed := func() bool { return r.errs.containing("ulimit -n") > 0 }
	var conns []net.Conn
	for range files { // each takes two descriptors of this process, one of them at accept
		c, err := net.Dial("tcp", r.addr)
		if err != nil {
			break
		}
		conns = append(conns, c)
		// Each is busy with a download, or it would be closed to make room, however slow this machine is.
		send(t, c, "GET /big.bin HTTP/1.1\r\n"+host+"\r\n")
		eventually(t, "a download begins, or accept fails", func() bool { return begun(t, c) || failed() })
	}
	eventually(t, "accept fails", failed)
	time.Sleep(100 * time.Millisecond) // several attempts
	if n := r.errs.containing("ulimit -n"); n != 1 {
		t.Errorf("%d errors", n)
	}
	for _, c := range conns {
		c.Close()
	}
	conn := r.dial(0)
	send(t, conn, "GET /small.txt HTTP/1.1\r\n"+host+"Connection: close\r\n\r\n")
	resp, body := receive(t, bufio.NewReader(conn), "GET")
	if resp.StatusCode != 200 || string(body) != smallBody {
		t.Errorf("%s: %q", resp.Status, body)
	}
	if _, err := io.WriteString(os.Stdout, "served again\n"); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// begun reports whether a first byte has arrived.
func begun(t *testing.T, c net.Conn) bool {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(5 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	n, err := c.Read(make([]byte, 1))
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	return n == 1
}
