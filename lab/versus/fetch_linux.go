package versus

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

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
