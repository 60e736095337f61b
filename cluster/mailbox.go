package cluster

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/thresh-dev/thresh/internal/table/spill"
)

// mailbox holds what workers have handed in about a question.
type mailbox struct {
	mu     sync.Mutex
	lows   map[int]int64
	spool  *spill.File          // the lines and hits of cells
	places map[cellKey][2]int64 // where in the spool: offset and length
	cells  map[cellKey]Done
	answer []byte
	reason string // the last failure of a worker
}

type cellKey struct {
	input int
	cell  int64
}

// Close removes what was handed in.
func (m *mailbox) Close() error { return m.spool.Close() }

func closeAll(boxes []*mailbox) (err error) {
	for _, m := range boxes {
		err = errors.Join(err, m.Close())
	}
	return err
}

// number returns a number of a request's query.
func number(r *http.Request, name string) (int64, error) {
	return strconv.ParseInt(r.URL.Query().Get(name), 10, 64)
}

func (m *mailbox) onLowest(r *http.Request) ([]byte, error) {
	input, err := number(r, "input")
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if low, ok := m.lows[int(input)]; ok {
		return strconv.AppendInt(nil, low, 10), nil
	}
	return nil, nil
}

func (m *mailbox) onFound(r *http.Request) ([]byte, error) {
	input, err := number(r, "input")
	off, offErr := number(r, "off")
	if err := errors.Join(err, offErr); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if low, ok := m.lows[int(input)]; !ok || off < low {
		m.lows[int(input)] = off
	}
	return nil, nil
}

func (m *mailbox) onPart(r *http.Request) ([]byte, error) {
	input, err := number(r, "input")
	cell, cellErr := number(r, "cell")
	content, readErr := io.ReadAll(r.Body)
	if err := errors.Join(err, cellErr, readErr); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	off, err := m.spool.Append(content)
	if err == nil {
		m.places[cellKey{int(input), cell}] = [2]int64{off, int64(len(content))}
	}
	return nil, err
}

func (m *mailbox) onAnswer(r *http.Request) ([]byte, error) {
	b, err := io.ReadAll(r.Body)
	if err == nil {
		m.mu.Lock()
		m.answer = b
		m.mu.Unlock()
	}
	return nil, err
}

func (m *mailbox) onFailed(r *http.Request) ([]byte, error) {
	b, err := io.ReadAll(r.Body)
	if err == nil {
		m.mu.Lock()
		m.reason = string(b)
		m.mu.Unlock()
	}
	return nil, err
}

// part returns what was handed in for a cell.
func (m *mailbox) part(input int, cell int64) ([]byte, error) {
	m.mu.Lock()
	place, ok := m.places[cellKey{input, cell}]
	m.mu.Unlock()
	if !ok {
		return nil, nil
	}
	b := make([]byte, place[1])
	return b, m.spool.ReadBack(b, place[0])
}

// failure returns what a worker said last about why it failed; empty: none did.
func (m *mailbox) failure() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reason
}

// result returns the result of all cells of a plan. Without one the error is what a worker said last.
func (m *mailbox) result(p *Plan) (*Partial, error) {
	m.mu.Lock()
	b, reason := m.answer, m.reason
	m.mu.Unlock()
	switch {
	case b != nil:
	case reason != "":
		return nil, errors.New(reason)
	default:
		return nil, errors.New("the job ended without an answer")
	}
	result, err := decodePartial(b)
	if err == nil && (result.Cells != p.allCells() || result.Bytes != p.bytes()) {
		err = fmt.Errorf("the job accounts for %d of %d bytes, in %d of %d cells", result.Bytes, p.bytes(), result.Cells,
			p.allCells())
	}
	return result, err
}
