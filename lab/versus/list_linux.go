package versus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
)

// listing is a client that reads the whole listing of a folder several times, over one connection: page
// after page where the server has pages. It counts the entries.
type listing struct {
	addr, path, accept string
	times              int
	pids               []int // of the server
}

// listedName is what the names of the listed files begin with. A number follows, listedDigits long.
const (
	listedName   = "entry-"
	listedDigits = 6
)

// run prints work, of entries instead of bytes.
func (l listing) run(stdout io.Writer) error {
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	return clocked(stdout, l.pids, func() (sum int64, err error) {
		for range l.times {
			n, err := l.once(transport)
			sum += n
			if err != nil {
				return sum, err
			}
		}
		return sum, nil
	})
}

// once returns how many different entries all pages have.
func (l listing) once(transport http.RoundTripper) (int64, error) {
	at, err := url.Parse("http://" + l.addr + l.path)
	if err != nil {
		return 0, err
	}
	seen := map[int]bool{}
	for at != nil {
		request := &http.Request{Method: http.MethodGet, URL: at, Header: http.Header{"Accept": {l.accept}}}
		response, err := transport.RoundTrip(request)
		if err != nil {
			return 0, err
		}
		text, err := io.ReadAll(response.Body)
		if err = errors.Join(err, response.Body.Close()); err != nil {
			return 0, fmt.Errorf("%s: %w", at, err)
		}
		if response.StatusCode != http.StatusOK {
			return 0, fmt.Errorf("%s: status %s", at, response.Status)
		}
		before := len(seen)
		if err := countEntries(text, seen); err != nil {
			return 0, fmt.Errorf("%s: %w", at, err)
		}
		if len(seen) == before {
			return 0, fmt.Errorf("%s: no entry that is not on an earlier page", at)
		}
		if at, err = nextPage(at, response.Header.Get("Link")); err != nil {
			return 0, err
		}
	}
	return int64(len(seen)), nil
}

// countEntries notes the numbers of the entries that a page names.
func countEntries(text []byte, seen map[int]bool) error {
	for {
		_, rest, found := bytes.Cut(text, []byte(listedName))
		if !found {
			return nil
		}
		n, err := strconv.Atoi(string(rest[:min(listedDigits, len(rest))]))
		if err != nil {
			return fmt.Errorf("an entry without a number: %w", err)
		}
		seen[n], text = true, rest
	}
}

var nextLink = regexp.MustCompile(`<([^>]*)>; *rel="?next"?`)

// nextPage returns the address of the next page, or nil if there is none.
func nextPage(at *url.URL, link string) (*url.URL, error) {
	next := nextLink.FindStringSubmatch(link)
	if next == nil {
		return nil, nil
	}
	return at.Parse(next[1])
}
