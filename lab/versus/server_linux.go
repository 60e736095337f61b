package versus

import (
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
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/lab/peer"
	"github.com/thresh-dev/thresh/lab/processes"
)

// pins are the processors of the server and of its clients. They are separate, so that the clients'
// work does not affect the server's processor time.
type pins struct{ server, client int }

// choosePins chooses the last processor that this process may use for the server, and the first for
// clients: device interrupts mostly go to the first.
func choosePins() (pins, error) {
	usable, err := processes.Processors()
	if err != nil {
		return pins{}, err
	}
	p := pins{server: usable[len(usable)-1], client: usable[0]}
	if p.server == p.client {
		return p, errors.New("the server and its clients need a processor each, and there is only one")
	}
	return p, nil
}

// on returns a command line that runs a command on one processor; a Go program then has GOMAXPROCS 1.
func on(cpu int, args ...string) []string {
	return append([]string{"taskset", "-c", strconv.Itoa(cpu)}, args...)
}

// server is a process that accepts connections at an address until it is stopped.
type server struct {
	name, addr string
	cmd        *exec.Cmd
	ended      chan error
	output     bytes.Buffer // standard output and error; read it only after the end of the server
}

// startServer starts a command that listens at addr, and returns once it does. It runs as user; nil
// means the current user.
func startServer(
	ctx context.Context, name, addr string, user *syscall.Credential, args ...string,
) (*server, error) {
	s := &server{name: name, addr: addr, cmd: exec.Command(args[0], args[1:]...), ended: make(chan error, 1)}
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	// With its own process group, workers are killed with their master. The death signal ends the
	// server if this process is killed.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM, Credential: user}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() { s.ended <- s.cmd.Wait() }()
	deadline := time.Now().Add(20 * time.Second)
	for {
		conn, err := net.Dial("tcp4", addr)
		if err == nil {
			return s, conn.Close()
		}
		select {
		case end := <-s.ended:
			return nil, fmt.Errorf("%s ended before it listened at %s: %v: %s",
				name, addr, end, peer.FirstLine(s.output.String()))
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), s.stop())
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return nil, errors.Join(fmt.Errorf("%s does not listen at %s: %w", name, addr, err), s.stop())
		}
	}
}

// stop ends the server and all its processes.
func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", s.name, err)
	}
	select {
	case <-s.ended: // its exit status means nothing after a signal
	case <-time.After(5 * time.Second):
	}
	// Kill the rest of the group: the server itself or a worker.
	if err := unix.Kill(-s.cmd.Process.Pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("stop %s: %w", s.name, err)
	}
	return nil
}

// pids returns the process and its children: nginx does its work in a child.
func (s *server) pids() ([]int, error) {
	pids, err := processes.Family(s.cmd.Process.Pid)
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", s.name, err, peer.FirstLine(s.output.String()))
	}
	return pids, err
}

// parsePIDs parses a list of numbers that are separated by spaces or commas.
func parsePIDs(list string) (pids []int, err error) {
	for _, field := range strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' }) {
		pid, err := strconv.Atoi(field)
		if err != nil || pid <= 0 {
			return nil, fmt.Errorf("%q is not a list of processes", list)
		}
		pids = append(pids, pid)
	}
	return pids, nil
}

// pidList returns the server's processes as an argument for a client.
func (s *server) pidList() (string, error) {
	pids, err := s.pids()
	var list []string
	for _, pid := range pids {
		list = append(list, strconv.Itoa(pid))
	}
	return strings.Join(list, ","), err
}

// ownMemory returns the own memory of the server's processes, in bytes.
func (s *server) ownMemory() (bytes int64, err error) {
	pids, err := s.pids()
	for _, pid := range pids {
		own, oerr := ownMemoryOf(fmt.Sprintf("/proc/%d/status", pid))
		err = errors.Join(err, oerr)
		bytes += own
	}
	return bytes, err
}

// countedWriter is the middleware that the article is about. Like many others, it counts what a handler
// writes, and so loses sendfile without a warning.
//
//thresh:ignore responsewrapper what this costs is measured
type countedWriter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *countedWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *countedWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// counted logs each request with the bytes of its answer.
func counted(next http.Handler, accessLog io.Writer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted := &countedWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(counted, r)
		// A log line that cannot be written must not affect the response.
		fmt.Fprintf(accessLog, "%s %s %q %d %d\n", time.Now().Format(time.RFC3339),
			r.RemoteAddr, r.Method+" "+r.URL.Path, counted.status, counted.bytes)
	})
}

// fileServer serves a folder with net/http, and writes an access log if one is named.
func fileServer(ctx context.Context, addr, folder, accessLog string) error {
	handler := http.FileServer(http.Dir(folder))
	if accessLog != "" {
		f, err := os.Create(accessLog)
		if err != nil {
			return err
		}
		defer f.Close() // the log is not needed
		handler = counted(handler, f)
	}
	l, err := net.Listen("tcp4", addr)
	if err != nil {
		return err
	}
	s := &http.Server{Handler: handler}
	context.AfterFunc(ctx, func() { s.Close() }) // which ends Serve
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
