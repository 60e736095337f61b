package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/lab/peer"
)

// stage runs the servers and clients of a case.
type stage struct {
	*bench
	pins
	temp    string // logs and configurations
	servers servers
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

func (st *stage) close() error { return errors.Join(st.servers.stop(), os.RemoveAll(st.temp)) }

// start starts a server on a processor. Closing the stage stops it.
func (st *stage) start(ctx context.Context, cpu int, name, addr string, args ...string) (*server, error) {
	return st.startAs(ctx, nil, cpu, name, addr, args...)
}

func (st *stage) startAs(
	ctx context.Context, user *syscall.Credential, cpu int, name, addr string, args ...string,
) (*server, error) {
	s, err := startServer(ctx, name, addr, user, on(cpu, args...)...)
	if err != nil {
		return nil, err
	}
	st.servers = append(st.servers, s)
	return s, nil
}

// serveThresh starts thresh with every option that has a cost per response.
func (st *stage) serveThresh(ctx context.Context, folder string) (*server, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	return st.start(ctx, st.pins.server, "thresh", addr, st.serveArgs(addr, folder)...)
}

func (st *stage) serveArgs(addr, folder string) []string {
	return []string{
		st.thresh, "serve", "--addr", addr, "--access-log", filepath.Join(st.temp, "thresh.log"),
		"--metrics", "127.0.0.1:0", "--limit-rate", "100GB/s", folder,
	}
}

// serveNginx starts nginx with one worker.
func (st *stage) serveNginx(ctx context.Context, folder string) (*server, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	limit, err := descriptors()
	if err != nil {
		return nil, err
	}
	args, err := peer.Nginx(addr, folder, st.temp, limit)
	if err != nil {
		return nil, err
	}
	return st.start(ctx, st.pins.server, "nginx", addr, args...)
}

// serveCaddy starts Caddy's file server with listings.
func (st *stage) serveCaddy(ctx context.Context, folder string) (*server, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	return st.start(ctx, st.pins.server, "Caddy", addr, peer.Caddy(addr, folder, st.temp)...)
}

// serveGo starts net/http's FileServer, with or without a middleware that counts bytes.
func (st *stage) serveGo(ctx context.Context, folder string, counted bool) (*server, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	args := []string{st.self, childCommand, "fileserver", addr, folder}
	if !counted {
		return st.start(ctx, st.pins.server, "FileServer", addr, args...)
	}
	return st.start(ctx, st.pins.server, "FileServer, counted", addr, append(args, filepath.Join(st.temp, "go.log"))...)
}

// client returns this program as a client on the clients' processor.
func (st *stage) client(name string, work ...string) contender {
	return contender{
		name: name, args: on(st.pins.client, append([]string{st.self, childCommand}, work...)...),
		answer: workBytes, rate: bytesPerCPU,
	}
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
func (b *bench) served() (string, error) {
	folder := filepath.Join(b.data.folder, "served")
	return folder, os.MkdirAll(folder, 0o755)
}

// servedFile returns a file of random bytes in the served folder.
func (b *bench) servedFile(name string, size int64) (*subject, error) {
	if _, err := b.served(); err != nil {
		return nil, err
	}
	return b.data.file(filepath.Join("served", name), size, func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		random := rand.NewChaCha8([32]byte([]byte(fmt.Sprintf("%-32.32s", name))))
		_, err = io.CopyN(f, random, size)
		return errors.Join(err, f.Sync(), f.Close())
	})
}

// servedState is the state of a file in the page cache. Unlike in warmState, the file is not dropped
// before: the kernel keeps sent pages for a while, until the processor that sent them handles other
// packets. All servers send the same pages.
func servedState(s *subject) state { return state{s.warm, s.stillWarm} }

// sameFile checks once that the server sends the right bytes. Later, only lengths are checked.
func (s *server) sameFile(ctx context.Context, path string, file *subject) error {
	return s.sameParts(ctx, path, asked{bytes: file.Bytes}, file)
}

// sameParts checks that the server sends the requested bytes.
func (s *server) sameParts(ctx context.Context, path string, q asked, file *subject) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+path, nil)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if q.ranges != "" {
		status = http.StatusPartialContent
		request.Header.Set("Range", q.ranges)
	}
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	defer response.Body.Close() // read only
	if response.StatusCode != status {
		return fmt.Errorf("%s, %s: status %s", s.name, path, response.Status)
	}
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
func sameBody(response *http.Response, file *subject) (sum int64, err error) {
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
func samePart(r io.Reader, contentRange string, file *subject) (int64, error) {
	var from int64
	if contentRange != "" {
		first, _, _ := strings.Cut(strings.TrimPrefix(contentRange, "bytes "), "-")
		var err error
		if from, err = strconv.ParseInt(first, 10, 64); err != nil {
			return 0, fmt.Errorf("Content-Range %q: %w", contentRange, err)
		}
	}
	got := sha256.New()
	n, err := io.Copy(got, r)
	if err != nil {
		return n, err
	}
	want := sha256.New()
	if _, err := io.Copy(want, io.NewSectionReader(file.OS(), from, n)); err != nil {
		return n, err
	}
	if !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
		return n, fmt.Errorf("%d bytes differ from those of the file at %d", n, from)
	}
	return n, nil
}
