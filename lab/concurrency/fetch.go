package concurrency

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/lab"
)

// fetch is the post's program without goroutines: it gets two URLs one after the other, with a client of
// its own for each, and prints the states. The post says that this takes 400 ms, and 250 ms at once, for
// two sites on the internet. Our servers are in the same process, and answer after delays that add up
// to that.
func fetch() lab.Variant {
	return lab.Variant{
		ID: "go/fetch", What: "get two URLs one after the other", Want: always(wantStates),
		Settings:  []lab.Setting{{}},
		Published: []lab.Published{{Value: 400}},
		Run:       fetching(getInTurn),
	}
}

func getInTurn(urls []string) (states []string, err error) {
	for _, url := range urls {
		state, e := get(url)
		states, err = append(states, state), errors.Join(err, e)
	}
	return states, err
}

const wantStates = "200 OK, 200 OK"

// delays are what the two sites take to answer.
var delays = []time.Duration{250 * time.Millisecond, 150 * time.Millisecond}

// get returns the state of a URL.
func get(url string) (string, error) {
	client := &http.Client{Timeout: 10 * time.Second}
	r, err := client.Get(url)
	if err != nil {
		return "", err
	}
	return r.Status, r.Body.Close()
}

// fetching returns a Run that times all, which returns the states in the order of the URLs.
func fetching(all func(urls []string) ([]string, error)) func(context.Context, lab.Task) (lab.Outcome, error) {
	return func(context.Context, lab.Task) (_ lab.Outcome, err error) {
		var urls []string
		for _, delay := range delays {
			l, lerr := net.Listen("tcp", "127.0.0.1:0")
			if lerr != nil {
				return lab.Outcome{}, lerr
			}
			s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(delay)
				_, _ = io.WriteString(w, "hello") // the client sees if this fails
			})}
			ended := make(chan error)
			go func() { ended <- s.Serve(l) }()
			defer func() {
				err = errors.Join(err, s.Close())
				if serr := <-ended; !errors.Is(serr, http.ErrServerClosed) {
					err = errors.Join(err, serr)
				}
			}()
			urls = append(urls, "http://"+l.Addr().String())
		}
		begin := time.Now()
		states, err := all(urls)
		if err != nil {
			return lab.Outcome{}, fmt.Errorf("fetch: %w", err)
		}
		return lab.Outcome{Seconds: time.Since(begin).Seconds(), Items: 1, Answer: strings.Join(states, ", ")}, nil
	}
}

// fetchAtOnce is the post's program with a goroutine for each URL, which sends the state, or an error,
// through one channel: 250 ms, the delay of the slower site.
func fetchAtOnce() lab.Variant {
	return lab.Variant{
		ID: "go/fetch-at-once", What: "get two URLs at once, a goroutine each", Want: always(wantStates),
		Settings:  []lab.Setting{{}},
		Published: []lab.Published{{Value: 250}},
		Run:       fetching(getAtOnce),
	}
}

func getAtOnce(urls []string) (states []string, err error) {
	type response struct {
		url, state string
		err        error
	}
	responses := make(chan response)
	for _, url := range urls {
		go func() {
			state, err := get(url)
			responses <- response{url, state, err}
		}()
	}
	states = make([]string, len(urls))
	for range urls {
		r := <-responses
		states[slices.Index(urls, r.url)] = r.state
		err = errors.Join(err, r.err)
	}
	return states, err
}
