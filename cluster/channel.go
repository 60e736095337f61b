package cluster

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"

	"github.com/thresh-dev/thresh/internal/table/spill"
)

// channel is the driver's side of the channel: a small HTTP server, whose paths begin with a secret and the
// number of a question. Workers may repeat every call.
type channel struct {
	url      string // where workers reach it, with the secret
	server   *http.Server
	serving  sync.WaitGroup
	boxes    []*mailbox        // one for each question
	progress func(bytes int64) // called when a cell is done, one call at a time; may be nil
	mu       sync.Mutex        // held while progress is called
}

// listen starts the server at an address, for some questions. Workers reach it there, or at advertise if that is
// not empty.
func listen(address, advertise, tempDir string, questions int, progress func(bytes int64)) (c *channel, err error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for workers: %w", err)
	}
	c = &channel{progress: progress}
	for range questions {
		spool, err := spill.New(spill.Dir{Name: tempDir}, "thresh-cluster-*", "what workers hand in")
		if err != nil {
			return nil, errors.Join(err, l.Close(), closeAll(c.boxes))
		}
		c.boxes = append(c.boxes, &mailbox{spool: spool, lows: map[int]int64{}, places: map[cellKey][2]int64{},
			cells: map[cellKey]Done{}})
	}
	if advertise == "" {
		advertise = l.Addr().String()
	} else if _, _, err := net.SplitHostPort(advertise); err != nil {
		advertise = net.JoinHostPort(advertise, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	}
	secret := "/" + rand.Text() + "/"
	c.url = "http://" + advertise + secret
	mux := http.NewServeMux()
	for name, handle := range map[string]func(*mailbox, *http.Request) ([]byte, error){
		"done": c.onDone, "lowest": (*mailbox).onLowest, "found": (*mailbox).onFound, "part": (*mailbox).onPart,
		"answer": (*mailbox).onAnswer, "failed": (*mailbox).onFailed,
	} {
		mux.HandleFunc("POST "+secret+"{question}/"+name, func(w http.ResponseWriter, r *http.Request) {
			question, err := strconv.Atoi(r.PathValue("question"))
			if err != nil || question < 0 || question >= len(c.boxes) {
				http.NotFound(w, r)
				return
			}
			answer, err := handle(c.boxes[question], r)
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

// urlOf returns the address for what concerns a question.
func (c *channel) urlOf(question int) string { return c.url + strconv.Itoa(question) + "/" }

// Close ends the server. The mailboxes keep what they have.
func (c *channel) Close() error {
	err := c.server.Close()
	c.serving.Wait()
	return err
}

func (c *channel) onDone(m *mailbox, r *http.Request) ([]byte, error) {
	var d Done
	if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
		return nil, err
	}
	key := cellKey{d.Input, d.Number}
	m.mu.Lock()
	_, again := m.cells[key]
	m.cells[key] = d
	m.mu.Unlock()
	if !again && c.progress != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.progress(d.Bytes)
	}
	return nil, nil
}
