package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/run"
)

// trialVariable is an environment variable of the driver that makes a job harder, for trials of a cluster:
// "claim=120ms" delays every claim, so that runners split ranges while they are scanned; "fail=0.05" lets that
// share of all reads of files fail. Answers do not change.
const trialVariable = "THRESH_CLUSTER_TRIAL"

// trial is what that variable says.
type trial struct {
	claim   time.Duration
	failing float64
}

func parseTrial(text string) (t trial, err error) {
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "":
		case "claim":
			t.claim, err = time.ParseDuration(value)
		case "fail":
			t.failing, err = strconv.ParseFloat(value, 64)
		default:
			err = errors.New("known: claim, fail")
		}
		if err != nil {
			return t, fmt.Errorf("%s=%q: %w", trialVariable, text, err)
		}
	}
	return t, nil
}

// openFailing opens a file of which some reads fail. They are repeated.
func openFailing(ctx context.Context, name string, share float64) (*run.Input, Input, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, Input{}, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open %s: it is not a regular file", name)
	}
	var in *run.Input
	if err == nil {
		in, err = run.FromReaderAt(name, retrying{ctx, failing{f, share}}, info.Size(), false)
	}
	if err != nil {
		return nil, Input{}, errors.Join(err, f.Close())
	}
	in.CloseWith(f)
	return in, Input{Name: name, Bytes: info.Size(), Version: versionOf(info)}.with(in), nil
}

// failing is a reader whose reads fail now and then.
type failing struct {
	io.ReaderAt
	share float64
}

var errFailing = errors.New("a trial lets this read fail")

// ReadAt fails now and then, after some of the bytes.
func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if rand.Float64() < f.share {
		n, _ := f.ReaderAt.ReadAt(p[:len(p)/2], off)
		return n, errFailing
	}
	return f.ReaderAt.ReadAt(p, off)
}

// retrying reads again what could not be read, with pauses that double.
type retrying struct {
	ctx context.Context
	io.ReaderAt
}

const (
	readTries = 8
	pauseMin  = 5 * time.Millisecond
)

// ReadAt reads at an offset. It gives up after readTries, and when the context ends.
func (r retrying) ReadAt(p []byte, off int64) (n int, err error) {
	for try := range readTries {
		if try > 0 {
			if waitErr := pause(r.ctx, pauseMin<<try+rand.N(pauseMin<<try)); waitErr != nil {
				return n, errors.Join(err, waitErr)
			}
		}
		var more int
		more, err = r.ReaderAt.ReadAt(p[n:], off+int64(n))
		if n += more; err == nil || err == io.EOF {
			return n, err
		}
	}
	return n, fmt.Errorf("after %d tries: %w", readTries, err)
}
