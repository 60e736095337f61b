package cluster

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"

	"github.com/thresh-dev/thresh/internal/table/spill"
)

// channel is the driver's side of the channel: a small HTTP server, whose paths begin with a secret. Workers
// may repeat every call.
type channel struct {
	url      string // where workers reach it, with the secret
	server   *http.Server
	listener net.Listener
	serving  sync.WaitGroup
	progress func(bytes int64) // called when a cell is done, one call at a time; may be nil

	mu     sync.Mutex
	lows   map[int]int64
	spool  *spill.File          // what was handed in
	places map[cellKey][2]int64 // where in the spool: offset and length
	cells  map[cellKey]Done
	answer []byte
	reason string // the last failure of a worker
}

type cellKey struct {
	input int
	cell  int64
}

// listen starts the server at an address. Workers reach it there, or at advertise if that is not empty.
func listen(address, advertise, tempDir string) (*channel, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for workers: %w", err)
	}
	spool, err := spill.New(tempDir, "thresh-cluster-*", "what workers hand in")
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if advertise == "" {
		advertise = l.Addr().String()
	} else if _, _, err := net.SplitHostPort(advertise); err != nil {
		advertise = net.JoinHostPort(advertise, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	}
	secret := "/" + rand.Text() + "/"
	c := &channel{url: "http://" + advertise + secret, listener: l, spool: spool, lows: map[int]int64{},
		places: map[cellKey][2]int64{}, cells: map[cellKey]Done{}}
	mux := http.NewServeMux()
	for name, handle := range map[string]func(*http.Request) ([]byte, error){
		"done": c.onDone, "lowest": c.onLowest, "found": c.onFound, "part": c.onPart, "answer": c.onAnswer,
		"failed": c.onFailed,
	} {
		mux.HandleFunc("POST "+secret+name, func(w http.ResponseWriter, r *http.Request) {
			answer, err := handle(r)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			_, _ = w.Write(answer) // a worker that is gone asks again
		})
	}
	c.server = &http.Server{Handler: mux}
	c.serving.Go(func() { _ = c.server.Serve(l) }) // ends with Close
	return c, nil
}

// Close ends the server and removes what was handed in.
func (c *channel) Close() error {
	err := c.server.Close()
	c.serving.Wait()
	return errors.Join(err, c.spool.Close())
}

// number returns a number of a request's query.
func number(r *http.Request, name string) (int64, error) {
	return strconv.ParseInt(r.URL.Query().Get(name), 10, 64)
}

func (c *channel) onDone(r *http.Request) ([]byte, error) {
	var d Done
	if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
		return nil, err
	}
	key := cellKey{d.Input, d.Number}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, again := c.cells[key]
	c.cells[key] = d
	if !again && c.progress != nil {
		c.progress(d.Bytes)
	}
	return nil, nil
}

func (c *channel) onLowest(r *http.Request) ([]byte, error) {
	input, err := number(r, "input")
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if low, ok := c.lows[int(input)]; ok {
		return strconv.AppendInt(nil, low, 10), nil
	}
	return nil, nil
}

func (c *channel) onFound(r *http.Request) ([]byte, error) {
	input, err := number(r, "input")
	off, offErr := number(r, "off")
	if err := errors.Join(err, offErr); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if low, ok := c.lows[int(input)]; !ok || off < low {
		c.lows[int(input)] = off
	}
	return nil, nil
}

func (c *channel) onPart(r *http.Request) ([]byte, error) {
	input, err := number(r, "input")
	cell, cellErr := number(r, "cell")
	content, readErr := io.ReadAll(r.Body)
	if err := errors.Join(err, cellErr, readErr); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	off, err := c.spool.Append(content)
	if err == nil {
		c.places[cellKey{int(input), cell}] = [2]int64{off, int64(len(content))}
	}
	return nil, err
}

func (c *channel) onAnswer(r *http.Request) ([]byte, error) {
	b, err := io.ReadAll(r.Body)
	if err == nil {
		c.mu.Lock()
		c.answer = b
		c.mu.Unlock()
	}
	return nil, err
}

func (c *channel) onFailed(r *http.Request) ([]byte, error) {
	b, err := io.ReadAll(r.Body)
	if err == nil {
		c.mu.Lock()
		c.reason = string(b)
		c.mu.Unlock()
	}
	return nil, err
}

// part returns what was handed in for a cell.
func (c *channel) part(input int, cell int64) ([]byte, error) {
	c.mu.Lock()
	place, ok := c.places[cellKey{input, cell}]
	c.mu.Unlock()
	if !ok {
		return nil, nil
	}
	b := make([]byte, place[1])
	return b, c.spool.ReadBack(b, place[0])
}

// result returns the result of all cells. Without one the error is what a worker said last.
func (c *channel) result() (*Partial, error) {
	c.mu.Lock()
	b, reason := c.answer, c.reason
	c.mu.Unlock()
	switch {
	case b != nil:
		return decodePartial(b)
	case reason != "":
		return nil, errors.New(reason)
	}
	return nil, errors.New("the job ended without an answer")
}
