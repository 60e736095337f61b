package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/thresh-dev/thresh/lab"
)

// request is what a child process is asked to do: its only argument, as JSON.
type request struct {
	Task  lab.Task    `json:"task"`
	Pprof string      `json:"pprof,omitempty"` // file for a CPU profile, "" for none
	Trace string      `json:"trace,omitempty"` // file for an execution trace, "" for none
	Perf  perfControl `json:"perf,omitempty"`  // of the perf that profiles this process, "" for none
}

// reply is what the child process answers, on its standard output as JSON.
type reply struct {
	Outcome lab.Outcome `json:"outcome"`
	Error   string      `json:"error,omitempty"`
}

// Child does one run, in the process that the lab started for it, and writes the outcome to out. Nothing
// else may write there: what a variant prints goes to standard error.
func Child(ctx context.Context, experiments []*lab.Experiment, text string, out io.Writer) error {
	var r request
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return fmt.Errorf("request %q: %w", text, err)
	}
	_, v := find(experiments, r.Task.Variant)
	if v == nil {
		return fmt.Errorf("no variant %q", r.Task.Variant)
	}
	os.Stdout = os.Stderr
	if procs := r.Task.Setting.Procs; procs > 0 {
		runtime.GOMAXPROCS(procs)
	}
	var answer reply
	outcome, err := counted(ctx, r, v)
	answer.Outcome = outcome
	if err != nil {
		answer = reply{Error: err.Error()}
	}
	return json.NewEncoder(out).Encode(answer)
}

// counted runs the variant, and fills in what the process used meanwhile where the variant does not say.
func counted(ctx context.Context, r request, v *lab.Variant) (o lab.Outcome, err error) {
	stop, err := r.profile()
	if err != nil {
		return o, err
	}
	before, err := used()
	if err != nil {
		return o, errors.Join(err, stop())
	}
	o, err = v.Run(ctx, r.Task)
	after, usedErr := used()
	if err := errors.Join(err, usedErr, stop()); err != nil {
		return o, err
	}
	if o.Seconds <= 0 {
		return o, fmt.Errorf("%s took %g seconds", v.ID, o.Seconds)
	}
	after.minus(before).fill(&o)
	return o, nil
}

// usage is what a process and its children that ended have used.
type usage struct {
	user, system float64 // seconds
	minor, major int64   // page faults
	calls        int64   // that read or wrote
}

func (u usage) minus(v usage) usage {
	return usage{u.user - v.user, u.system - v.system, u.minor - v.minor, u.major - v.major, u.calls - v.calls}
}

// fill sets what the outcome leaves empty.
func (u usage) fill(o *lab.Outcome) {
	if o.UserSeconds == 0 && o.SystemSeconds == 0 {
		o.UserSeconds, o.SystemSeconds = u.user, u.system
	}
	if o.MinorFaults == 0 && o.MajorFaults == 0 {
		o.MinorFaults, o.MajorFaults = u.minor, u.major
	}
	if o.Calls == 0 {
		o.Calls = u.calls
	}
}

// find returns a variant and its experiment, nil if there is none of that ID.
func find(experiments []*lab.Experiment, id string) (*lab.Experiment, *lab.Variant) {
	for _, e := range experiments {
		for i := range e.Variants {
			if e.Variants[i].ID == id {
				return e, &e.Variants[i]
			}
		}
	}
	return nil, nil
}
