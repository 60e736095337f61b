package versus

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/lab/peer"
	"github.com/thresh-dev/thresh/lab/processes"
)

// work is a client's result: the bytes received, and the processor time of the servers and the wall
// clock time meanwhile.
type work struct {
	Bytes   int64   `json:"bytes"`
	CPU     float64 `json:"cpu_seconds"`
	Seconds float64 `json:"seconds"`
}

func parseWork(stdout string) (w work, err error) {
	if err := json.Unmarshal([]byte(stdout), &w); err != nil {
		return w, fmt.Errorf("output of the client: %q: %w", peer.FirstLine(stdout), err)
	}
	if w.Bytes <= 0 || w.CPU <= 0 || w.Seconds <= 0 {
		return w, fmt.Errorf("output of the client: %q: no bytes or no time", peer.FirstLine(stdout))
	}
	return w, nil
}

// workBytes is the answer of a contender that is a client: the number of bytes received.
func workBytes(stdout string) (string, error) {
	w, err := parseWork(stdout)
	return fmt.Sprint(w.Bytes), err
}

// bytesPerCPU is the rate of a server: bytes per second of processor time.
func bytesPerCPU(o peer.Output) (float64, error) {
	w, err := parseWork(o.Stdout)
	return float64(w.Bytes) / w.CPU, err
}

// clocked runs do, which returns the number of bytes received, reads the clocks before and after it,
// and prints the result.
func clocked(stdout io.Writer, pids []int, do func() (int64, error)) error {
	cpu, err := processes.Seconds(pids...)
	if err != nil {
		return err
	}
	begin := time.Now()
	n, err := do()
	seconds := time.Since(begin).Seconds()
	end, cerr := processes.Seconds(pids...)
	if err := errors.Join(err, cerr); err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(work{n, end - cpu, seconds})
}

// each calls do concurrently for every connection, and returns the sum of the results.
func each[C io.Closer](conns []C, do func(C) (int64, error)) (sum int64, err error) {
	counts, errs := make([]int64, len(conns)), make([]error, len(conns))
	var wg sync.WaitGroup
	for i, c := range conns {
		wg.Go(func() { counts[i], errs[i] = do(c) })
	}
	wg.Wait()
	for _, n := range counts {
		sum += n
	}
	return sum, errors.Join(errs...)
}

// dialAll opens connections to one address.
func dialAll(addr string, conns int) (all []*net.TCPConn, err error) {
	for range conns {
		conn, err := net.Dial("tcp4", addr)
		if err != nil {
			return all, err
		}
		all = append(all, conn.(*net.TCPConn))
	}
	return all, nil
}

func closeAll(conns []*net.TCPConn) (err error) {
	for _, c := range conns {
		err = errors.Join(err, c.Close())
	}
	return err
}

// download is a client that requests the same file several times over each of its connections.
type download struct {
	addr, path, ranges string
	conns, times       int
	pids               []int // of the server
}

func (d download) run(stdout io.Writer) error {
	conns, err := dialAll(d.addr, d.conns)
	defer closeAll(conns) // all was read
	if err != nil {
		return err
	}
	return clocked(stdout, d.pids, func() (int64, error) { return each(conns, d.fetch) })
}

// fetch requests the file several times and discards the bodies.
func (d download) fetch(conn *net.TCPConn) (sum int64, err error) {
	request := "GET " + d.path + " HTTP/1.1\r\nHost: " + d.addr + "\r\n"
	if d.ranges != "" {
		request += "Range: " + d.ranges + "\r\n"
	}
	head := bufio.NewReader(conn)
	for range d.times {
		n, err := get(conn, head, request+"\r\n")
		sum += n
		if err != nil {
			return sum, fmt.Errorf("%s after %d bytes: %w", d.path, sum, err)
		}
	}
	return sum, nil
}

// get sends a request, discards the body of the response and returns its length. The response must
// have a Content-Length, and the body that length.
func get(conn *net.TCPConn, head *bufio.Reader, request string) (int64, error) {
	if _, err := io.WriteString(conn, request); err != nil {
		return 0, err
	}
	response, err := http.ReadResponse(head, nil)
	if err != nil {
		return 0, err
	}
	if ok := response.StatusCode == http.StatusOK || response.StatusCode == http.StatusPartialContent; !ok ||
		response.ContentLength < 0 {
		return 0, fmt.Errorf("status %s, length %d", response.Status, response.ContentLength)
	}
	came, err := head.Discard(int(min(response.ContentLength, int64(head.Buffered()))))
	if err != nil {
		return 0, err
	}
	n, err := processes.Discard(conn, response.ContentLength-int64(came), make([]byte, discardBytes))
	return int64(came) + n, err
}

// discardBytes is how much is discarded at a time.
const discardBytes = 1 << 20

// latency is the output of probe.
type latency struct {
	P50 float64 `json:"p50_seconds"`
	P99 float64 `json:"p99_seconds"`
}

// probe requests a file count times over one connection, with pauses in between, and prints the times.
// Each answer must have that many bytes.
func probe(stdout io.Writer, addr, path string, bytes int64, count int, pause time.Duration) error {
	conns, err := dialAll(addr, 1)
	defer closeAll(conns) // all was read
	if err != nil {
		return err
	}
	head := bufio.NewReader(conns[0])
	request := "GET " + path + " HTTP/1.1\r\nHost: " + addr + "\r\n\r\n"
	took := make([]float64, count)
	for i := range took {
		time.Sleep(pause)
		begin := time.Now()
		n, err := get(conns[0], head, request)
		took[i] = time.Since(begin).Seconds()
		if err == nil && n != bytes {
			err = fmt.Errorf("%d bytes, want %d", n, bytes)
		}
		if err != nil {
			return fmt.Errorf("request %d of %s: %w", i, path, err)
		}
	}
	slices.Sort(took)
	return json.NewEncoder(stdout).Encode(latency{took[count/2], took[count*99/100]})
}

// fetch reads an object by ranges over a number of connections, and discards it. It is the peer of remote inputs:
// it does what curl does with a range, in one process, without looking at a byte.
type fetch struct {
	url        string
	bytes      int64 // of the object
	conns      int
	rangeBytes int64
	max        time.Duration // after which it ends early; 0: never
}

const fetchBufferBytes = 512 << 10

func (f fetch) run(ctx context.Context, stdout io.Writer) error {
	if f.max > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.max)
		defer cancel()
	}
	client := &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: f.conns, DisableCompression: true,
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}, // all in one connection would be slower
	}}
	return clocked(stdout, []int{os.Getpid()}, func() (int64, error) {
		var next, sum atomic.Int64
		errs := make([]error, f.conns)
		var wg sync.WaitGroup
		for i := range f.conns {
			wg.Go(func() {
				buf := make([]byte, fetchBufferBytes)
				for errs[i] == nil {
					off := next.Add(f.rangeBytes) - f.rangeBytes
					if off >= f.bytes {
						return
					}
					errs[i] = f.one(ctx, client, off, buf, &sum)
				}
			})
		}
		wg.Wait()
		if ctx.Err() != nil {
			return sum.Load(), nil // the time is over
		}
		return sum.Load(), errors.Join(errs...)
	})
}

// one reads the range that begins at off.
func (f fetch) one(ctx context.Context, client *http.Client, off int64, buf []byte, sum *atomic.Int64) error {
	end := min(off+f.rangeBytes, f.bytes)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", off, end-1))
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close() // read only
	if response.StatusCode != http.StatusPartialContent || response.ContentLength != end-off {
		return fmt.Errorf("%s, bytes %d to %d: status %s, length %d",
			f.url, off, end, response.Status, response.ContentLength)
	}
	for {
		n, err := response.Body.Read(buf)
		sum.Add(int64(n))
		off += int64(n)
		if err == io.EOF && off == end {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s at %d of %d: %w", f.url, off, end, err)
		}
	}
}
