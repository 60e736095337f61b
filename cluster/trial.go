package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
)

// trialVariable is an environment variable of the driver that makes a job harder, for trials of a cluster:
// "claim=120ms" delays every claim, so that runners split ranges while they are scanned; "fail=0.05" lets that
// share of all reads fail. Answers do not change.
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

func trialOfEnvironment() (trial, string, error) {
	text := os.Getenv(trialVariable)
	t, err := parseTrial(text)
	return t, text, err
}

// failing is a reader of which some reads fail.
type failing struct {
	Reader
	share float64
}

var errFailing = errors.New("a trial lets this read fail")

// ReadAt fails now and then, after some of the bytes.
func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if rand.Float64() < f.share {
		n, _ := f.Reader.ReadAt(p[:len(p)/2], off)
		return n, errFailing
	}
	return f.Reader.ReadAt(p, off)
}
