package copy

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// fetch is a client's task.
type fetch struct {
	Address   string
	Asks      request
	URLPath   string // of requests
	Bytes     int64  // that each transfer must bring
	Transfers int
	Sum       string // SHA-256 in hexadecimal of what each must bring; empty: not looked at
}

// fetched is a client's only word.
type fetched struct{ Seconds float64 }

// childFetch does a task given as JSON.
func childFetch(task string) error {
	var f fetch
	if err := json.Unmarshal([]byte(task), &f); err != nil {
		return err
	}
	var done atomic.Bool
	go func() {
		// Nothing is ever sent: this returns when the parent gives up, or is gone.
		_, err := io.Copy(io.Discard, os.Stdin)
		if !done.Load() {
			fmt.Fprintln(os.Stderr, "client: stopped:", errors.Join(io.ErrUnexpectedEOF, err))
			os.Exit(1)
		}
	}()
	begin := time.Now()
	for range f.Transfers {
		if err := f.once(); err != nil {
			return fmt.Errorf("client: %w", err)
		}
	}
	seconds := time.Since(begin).Seconds()
	done.Store(true) // the parent may close the input as soon as it has the answer
	return json.NewEncoder(os.Stdout).Encode(fetched{seconds})
}

// once has the file sent over a connection of its own.
func (f fetch) once() error {
	c, err := net.Dial("tcp", f.Address)
	if err != nil {
		return err
	}
	d := &drain{c: c.(*net.TCPConn), r: bufio.NewReader(c), waste: make([]byte, 1<<20)}
	n, err := f.read(d)
	if err == nil && n != f.Bytes {
		err = fmt.Errorf("%d bytes came; %d were to come", n, f.Bytes)
	}
	return errors.Join(err, c.Close())
}

// read returns how many bytes of the file came.
func (f fetch) read(d *drain) (int64, error) {
	if f.Asks == nothing {
		return f.body(d, d.r, func() (int64, error) { return d.discard(1<<63 - 1) })
	}
	req, err := http.NewRequest(http.MethodGet, "http://"+f.Address+f.URLPath, nil)
	if err != nil {
		return 0, err
	}
	req.Close = true
	status := http.StatusOK
	if f.Asks == getRange {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", f.Asks.skipped()))
		status = http.StatusPartialContent
	}
	if err := req.Write(d.c); err != nil {
		return 0, err
	}
	answer, err := http.ReadResponse(d.r, req)
	if err != nil {
		return 0, err
	}
	if answer.StatusCode != status {
		return 0, fmt.Errorf("get %s: %s", f.URLPath, answer.Status)
	}
	return f.body(d, answer.Body, func() (int64, error) {
		if answer.ContentLength < 0 {
			return d.discardChunks()
		}
		return d.discard(answer.ContentLength)
	})
}

// body reads and hashes a body, or discards it where no hash is wanted.
func (f fetch) body(d *drain, r io.Reader, discard func() (int64, error)) (int64, error) {
	if f.Sum == "" {
		return discard()
	}
	h := sha256.New()
	n, err := io.Copy(h, r)
	if sum := hex.EncodeToString(h.Sum(nil)); err == nil && sum != f.Sum {
		err = fmt.Errorf("%d bytes came and have SHA-256 %s; want %s", n, sum, f.Sum)
	}
	return n, err
}

// drain reads a connection of which most bytes are of no interest. Those are thrown away
// inside the kernel, by MSG_TRUNC, and cost no copy.
type drain struct {
	c     *net.TCPConn
	r     *bufio.Reader // of c
	waste []byte        // never touched; its length is what one call discards
}

// discard throws away n bytes, or fewer when the connection ends.
func (d *drain) discard(n int64) (done int64, err error) {
	held, err := d.r.Discard(int(min(n, int64(d.r.Buffered()))))
	done = int64(held)
	if err != nil {
		return done, err
	}
	rc, err := d.c.SyscallConn()
	if err != nil {
		return done, err
	}
	for done < n {
		var got int
		var failed error
		err := rc.Read(func(fd uintptr) bool {
			for {
				got, _, failed = unix.Recvfrom(int(fd), d.waste[:min(n-done, int64(len(d.waste)))], unix.MSG_TRUNC)
				if failed != unix.EINTR {
					return failed != unix.EAGAIN
				}
			}
		})
		if err := errors.Join(err, failed); err != nil {
			return done, fmt.Errorf("discard: %w", err)
		}
		if got == 0 {
			return done, nil
		}
		done += int64(got)
	}
	return done, nil
}

// discardChunks throws away a body in chunks and returns its length without their heads.
func (d *drain) discardChunks() (done int64, err error) {
	const end = 2 // bytes of the line end behind a chunk
	for {
		line, err := d.r.ReadString('\n')
		if err != nil {
			return done, fmt.Errorf("head of a chunk: %w", err)
		}
		size, err := strconv.ParseInt(strings.TrimSpace(line), 16, 64)
		if err != nil {
			return done, fmt.Errorf("head of a chunk: %w", err)
		}
		n, err := d.discard(size + end)
		done += max(0, n-end)
		if err != nil || size == 0 {
			return done, err
		}
	}
}
