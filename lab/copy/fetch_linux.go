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

	"github.com/thresh-dev/thresh/lab/processes"
)

// fetch is the task of a client.
type fetch struct {
	Address   string
	Asks      request
	URLPath   string // of HTTP requests
	Bytes     int64  // expected length of each transfer
	Transfers int
	Hash      bool // hash the file: Prefix, which the answer omits, and the answer
	Prefix    []byte
}

// fetched is the only message of a client.
type fetched struct {
	Seconds float64
	Sum     string // SHA-256 of the file in hexadecimal, of every transfer
}

// childFetch runs a task given as JSON.
func childFetch(task string) error {
	var f fetch
	if err := json.Unmarshal([]byte(task), &f); err != nil {
		return err
	}
	var done atomic.Bool
	go func() {
		// The parent never sends anything. So this returns when the parent gives up or ends.
		_, err := io.Copy(io.Discard, os.Stdin)
		if !done.Load() {
			fmt.Fprintln(os.Stderr, "client: stopped:", errors.Join(io.ErrUnexpectedEOF, err))
			os.Exit(1)
		}
	}()
	begin, sum := time.Now(), ""
	for i := range f.Transfers {
		again, err := f.once()
		if err == nil && i > 0 && again != sum {
			err = fmt.Errorf("transfer %d has SHA-256 %s, that before %s", i+1, again, sum)
		}
		if err != nil {
			return fmt.Errorf("client: %w", err)
		}
		sum = again
	}
	seconds := time.Since(begin).Seconds()
	done.Store(true) // from now on the parent may close the input: it has the answer
	return json.NewEncoder(os.Stdout).Encode(fetched{seconds, sum})
}

// once gets the file over a new connection, and returns its sum if that is wanted.
func (f fetch) once() (sum string, err error) {
	c, err := net.Dial("tcp", f.Address)
	if err != nil {
		return "", err
	}
	d := &drain{c: c.(*net.TCPConn), r: bufio.NewReader(c), waste: make([]byte, 1<<20)}
	n, sum, err := f.read(d)
	if err == nil && n != f.Bytes {
		err = fmt.Errorf("%d bytes received, want %d", n, f.Bytes)
	}
	return sum, errors.Join(err, c.Close())
}

// read returns how many bytes of the file were received, and their sum.
func (f fetch) read(d *drain) (int64, string, error) {
	if f.Asks == nothing {
		return f.body(d.r, func() (int64, error) { return d.discard(1<<63 - 1) })
	}
	req, err := http.NewRequest(http.MethodGet, "http://"+f.Address+f.URLPath, nil)
	if err != nil {
		return 0, "", err
	}
	req.Close = true
	status := http.StatusOK
	if f.Asks == getRange {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", f.Asks.skipped()))
		status = http.StatusPartialContent
	}
	if err := req.Write(d.c); err != nil {
		return 0, "", err
	}
	answer, err := http.ReadResponse(d.r, req)
	if err != nil {
		return 0, "", err
	}
	if answer.StatusCode != status {
		return 0, "", fmt.Errorf("get %s: %s", f.URLPath, answer.Status)
	}
	return f.body(answer.Body, func() (int64, error) {
		if answer.ContentLength < 0 {
			return d.discardChunks()
		}
		return d.discard(answer.ContentLength)
	})
}

// body reads a body and returns its sum, or discards the body if no sum is wanted.
func (f fetch) body(r io.Reader, discard func() (int64, error)) (n int64, sum string, err error) {
	if !f.Hash {
		n, err = discard()
		return n, "", err
	}
	h := sha256.New()
	h.Write(f.Prefix)
	n, err = io.Copy(h, r)
	return n, hex.EncodeToString(h.Sum(nil)), err
}

// drain reads a connection and discards most of its bytes inside the kernel.
type drain struct {
	c     *net.TCPConn
	r     *bufio.Reader // of c
	waste []byte        // see processes.Discard
}

// discard discards n bytes, or fewer if the connection ends.
func (d *drain) discard(n int64) (done int64, err error) {
	held, err := d.r.Discard(int(min(n, int64(d.r.Buffered()))))
	done = int64(held)
	if err != nil {
		return done, err
	}
	n, err = processes.Discard(d.c, n-done, d.waste)
	if errors.Is(err, io.ErrUnexpectedEOF) { // the connection ends where a body without a length does
		err = nil
	}
	return done + n, err
}

// discardChunks discards a chunked body and returns its length without the chunk headers.
func (d *drain) discardChunks() (done int64, err error) {
	const end = 2 // bytes of the line ending after a chunk
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
