package concurrency

import (
	"errors"
	"slices"

	"github.com/thresh-dev/thresh/lab"
)

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
