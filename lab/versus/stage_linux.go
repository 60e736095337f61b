package versus

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
	"github.com/thresh-dev/thresh/lab/processes"
)

// stage runs the servers and clients of a case.
type stage struct {
	*bench
	pins
	temp    string // logs and configurations
	servers []*server
}

func (b *bench) newStage() (*stage, error) {
	p, err := choosePins()
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "thresh-bench-")
	if err != nil {
		return nil, err
	}
	// An ordinary user must be able to run a program from here.
	return &stage{bench: b, pins: p, temp: temp}, os.Chmod(temp, 0o755)
}

// staged calls do with a stage of its own.
func (b *bench) staged(do func(st *stage)) {
	st := try(b.newStage())
	err := ended(func() { do(st) })
	check(errors.Join(err, st.close()))
}

func (st *stage) close() (err error) {
	for _, s := range st.servers {
		err = errors.Join(err, s.stop())
	}
	return errors.Join(err, os.RemoveAll(st.temp))
}

// start starts a server on a processor, as a given user or, if nil, as the current one. Closing the stage stops it.
func (st *stage) start(
	cpu int, name string, user *syscall.Credential, command func(addr string) []string,
) *server {
	addr := try(processes.FreeAddress())
	s := try(startServer(st.ctx, name, addr, user, on(cpu, command(addr)...)...))
	st.servers = append(st.servers, s)
	return s
}

// serve starts a server on the servers' processor.
func (st *stage) serve(name string, command func(addr string) []string) *server {
	return st.start(st.pins.server, name, nil, command)
}

// serveThresh starts thresh with every option that has a cost per response, as a child of another program if one is
// given.
func (st *stage) serveThresh(folder string, under []string, more ...string) *server {
	return st.serve("thresh", func(addr string) []string {
		args := append(under, st.Thresh, "serve", "--addr", addr, "--access-log", filepath.Join(st.temp, "thresh.log"),
			"--metrics", "127.0.0.1:0", "--limit-rate", "100GB/s", folder)
		return append(args, more...)
	})
}

// serveNginx starts nginx with one worker.
func (st *stage) serveNginx(folder string) *server {
	return st.serve("nginx", func(addr string) []string {
		return try(peer.Nginx(addr, folder, st.temp, try(descriptors())))
	})
}

// serveCaddy starts Caddy's file server with listings.
func (st *stage) serveCaddy(folder string) *server {
	return st.serve("Caddy", func(addr string) []string { return peer.Caddy(addr, folder, st.temp) })
}

// serveGo starts net/http's FileServer, with or without a middleware that counts bytes.
func (st *stage) serveGo(folder string, counted bool) *server {
	name, log := "FileServer", ""
	if counted {
		name, log = "FileServer, counted", filepath.Join(st.temp, "go.log")
	}
	return st.serve(name, func(addr string) []string {
		return []string{st.Self, childCommand, "fileserver", addr, folder, log}
	})
}

// client returns this program as a client on the clients' processor.
func (st *stage) client(name string, want any, work ...any) contender {
	c := st.child(name, want, work...)
	c.args = on(st.pins.client, c.args...)
	c.answer, c.rate = workBytes, bytesPerCPU
	return c
}

// descriptors returns the maximum number of open files of a process.
func descriptors() (uint64, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("limit of open files: %w", err)
	}
	return limit.Max, nil
}

// served is the folder that servers serve, inside the data folder.
func (b *bench) served() string {
	folder := filepath.Join(b.data.folder, "served")
	check(os.MkdirAll(folder, 0o755))
	return folder
}

// servedFile returns a file of random bytes in the served folder.
func (b *bench) servedFile(name string, size int64) *pagecache.File {
	b.served()
	return b.file(filepath.Join("served", name), size, func(f *os.File) error {
		return random(f, size, [32]byte([]byte(fmt.Sprintf("%-32.32s", name))))
	})
}

// path is the path of a URL of a file in the served folder.
func path(file *pagecache.File) string { return "/" + filepath.Base(file.Name) }

// servedState is the state of a file in the page cache. Unlike in warmState, the file is not dropped
// before: the kernel keeps sent pages for a while, until the processor that sent them handles other
// packets. All servers send the same pages.
func servedState(s *pagecache.File) state { return state{s.Warm, s.StillWarm} }

// get requests a path, or ranges of it.
func (s *server) get(ctx context.Context, path, ranges string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+path, nil)
	if err != nil {
		return nil, err
	}
	status := http.StatusOK
	if ranges != "" {
		status = http.StatusPartialContent
		request.Header.Set("Range", ranges)
	}
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	response, err := transport.RoundTrip(request)
	if err == nil && response.StatusCode != status {
		err = errors.Join(fmt.Errorf("status %s", response.Status), response.Body.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", s.name, path, err)
	}
	return response, nil
}

// sameFile checks once that the server sends the right bytes. Later, only lengths are checked.
func (st *stage) sameFile(s *server, file *pagecache.File) {
	check(s.sameParts(st.ctx, path(file), asked{bytes: file.Bytes}, file))
}

// sameParts checks that the server sends the requested bytes.
func (s *server) sameParts(ctx context.Context, path string, q asked, file *pagecache.File) error {
	response, err := s.get(ctx, path, q.ranges)
	if err != nil {
		return err
	}
	defer response.Body.Close() // read only
	n, err := sameBody(response, file)
	if err == nil && n != q.bytes {
		err = fmt.Errorf("%d bytes, want %d", n, q.bytes)
	}
	if err != nil {
		return fmt.Errorf("%s, %s: %w", s.name, path, err)
	}
	return nil
}

// sameBody compares a body, or each of its parts, with the file, and returns the total length.
func sameBody(response *http.Response, file *pagecache.File) (sum int64, err error) {
	kind, parameters, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/byteranges" {
		return samePart(response.Body, response.Header.Get("Content-Range"), file)
	}
	parts := multipart.NewReader(response.Body, parameters["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return sum, nil
		}
		if err != nil {
			return sum, err
		}
		n, err := samePart(part, part.Header.Get("Content-Range"), file)
		sum += n
		if err != nil {
			return sum, err
		}
	}
}

// samePart compares the content of r with the file, from the start of the Content-Range, or from the
// start of the file if there is none.
func samePart(r io.Reader, contentRange string, file *pagecache.File) (int64, error) {
	var from int64
	if contentRange != "" {
		first, _, _ := strings.Cut(strings.TrimPrefix(contentRange, "bytes "), "-")
		var err error
		if from, err = strconv.ParseInt(first, 10, 64); err != nil {
			return 0, fmt.Errorf("Content-Range %q: %w", contentRange, err)
		}
	}
	got, want := sha256.New(), sha256.New()
	n, err := io.Copy(got, r)
	if err != nil {
		return n, err
	}
	if _, err := io.Copy(want, io.NewSectionReader(file.OS(), from, n)); err != nil {
		return n, err
	}
	if !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
		return n, fmt.Errorf("%d bytes differ from those of the file at %d", n, from)
	}
	return n, nil
}

// onCubic calls do in a network namespace of its own, whose loopback connections use cubic, whatever
// the system's congestion control is: the routes name it, which changes nothing outside.
func onCubic(ctx context.Context, do func()) error {
	return inNamespace(ctx, do, "ip",
		"route replace local 127.0.0.0/8 dev lo table local congctl cubic",
		"route del local 127.0.0.1 dev lo table local") // it would come first
}

// onLossy calls do in a network namespace of its own, on whose loopback a packet takes 25 ms and one of a hundred
// is lost.
func onLossy(ctx context.Context, do func()) error {
	return inNamespace(ctx, do, "tc", "qdisc add dev lo root netem delay 25ms loss 1% limit 100000")
}

// inNamespace calls do in a network namespace of its own, after these commands of a program. The processes
// that do starts are in the namespace, too. Without the right to make one, `unshare -rn` gives it.
func inNamespace(ctx context.Context, do func(), program string, commands ...string) error {
	done := make(chan error)
	go func() {
		// Namespaces belong to threads. This one ends with the goroutine, as it is never unlocked.
		runtime.LockOSThread()
		err := enterNamespace(ctx, program, commands)
		if err == nil {
			err = ended(do)
		}
		done <- err
	}()
	return <-done
}

// errNamespace means that a namespace could not be made as wanted.
var errNamespace = errors.New("make a network namespace")

func enterNamespace(ctx context.Context, program string, commands []string) error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("%w: %w; run this as root, or under unshare -rn", errNamespace, err)
	}
	if out, err := exec.CommandContext(ctx, "ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: ip link set lo up: %w: %s", errNamespace, err, out)
	}
	for _, command := range commands {
		if out, err := exec.CommandContext(ctx, program, strings.Fields(command)...).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s %s: %w: %s", errNamespace, program, command, err, peer.FirstLine(string(out)))
		}
	}
	return nil
}
