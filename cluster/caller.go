package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// caller is a worker's side of the channel to the driver.
type caller struct {
	url    string
	client *http.Client
	host   string
}

func newCaller(url string) *caller {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return &caller{url: url, client: &http.Client{Timeout: callMax}, host: fmt.Sprintf("%s/%d", host, os.Getpid())}
}

const (
	callMax   = time.Minute
	callTries = 6
)

// Done tells that a cell has been scanned.
type Done struct {
	Cell
	From    int64 // the first cell of the range, in which a worker scanned it
	Bytes   int64
	Seconds float64
	Wall    string
	Worker  string // host and process
}

func (c *caller) done(ctx context.Context, d Done) error {
	d.Worker = c.host
	body, err := json.Marshal(d)
	if err != nil {
		return err
	}
	_, err = c.call(ctx, "done", body)
	return err
}

// lowest returns the lowest hit in an input that any worker has found so far.
func (c *caller) lowest(ctx context.Context, input int) (int64, error) {
	text, err := c.call(ctx, "lowest?input="+strconv.Itoa(input), nil)
	if err != nil || len(text) == 0 {
		return math.MaxInt64, err
	}
	return strconv.ParseInt(string(text), 10, 64)
}

// found tells of a hit.
func (c *caller) found(ctx context.Context, input int, off int64) error {
	_, err := c.call(ctx, fmt.Sprintf("found?input=%d&off=%d", input, off), nil)
	return err
}

// handIn hands in the lines or hits of a cell.
func (c *caller) handIn(ctx context.Context, cell Cell, content []byte) error {
	_, err := c.call(ctx, fmt.Sprintf("part?input=%d&cell=%d", cell.Input, cell.Number), content)
	return err
}

func (c *caller) answer(ctx context.Context, result []byte) error {
	_, err := c.call(ctx, "answer", result)
	return err
}

// failed tells the driver why a cell could not be scanned, and returns the error. The runner may try again.
func (c *caller) failed(ctx context.Context, err error) error {
	if _, callErr := c.call(ctx, "failed", []byte(err.Error())); callErr != nil {
		return errors.Join(err, callErr)
	}
	return err
}

// call asks the driver, and tries again if it cannot be reached.
func (c *caller) call(ctx context.Context, what string, body []byte) (answer []byte, err error) {
	for try := range callTries {
		if try > 0 {
			if waitErr := pause(ctx, 50*time.Millisecond<<try); waitErr != nil {
				return nil, errors.Join(err, waitErr)
			}
		}
		var again bool
		if answer, again, err = c.once(ctx, what, body); err == nil || !again {
			return answer, err
		}
	}
	return nil, fmt.Errorf("tell the driver after %d tries: %w", callTries, err)
}

func (c *caller) once(ctx context.Context, what string, body []byte) (answer []byte, again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+what, bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return nil, true, err
	}
	answer, err = io.ReadAll(response.Body)
	err = errors.Join(err, response.Body.Close())
	if response.StatusCode != http.StatusOK {
		return nil, response.StatusCode >= 500, fmt.Errorf("%s: %s", response.Status, bytes.TrimSpace(answer))
	}
	return answer, true, err
}

// silent drops what Beam logs: a job that fails returns an error.
type silent struct{}

// Log drops a message.
func (silent) Log(context.Context, log.Severity, int, string) {}

// Quiet drops what Beam logs in this process, except errors of the embedded runner.
func Quiet() {
	log.SetLogger(silent{})
	log.LogLevel = "error"
	slog.SetDefault(slog.New(slog.DiscardHandler))
}
