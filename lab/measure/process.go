package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/lab"
)

// process starts children of this program.
type process struct {
	command []string      // what a request is appended to
	longest time.Duration // a run may take
	folder  string        // for the runs' own folders
}

// killedAfter is how long a killed child may keep its standard streams open through children of its own.
const killedAfter = 2 * time.Second

// stderrBytes is how much of what a child wrote to standard error is kept: its end.
const stderrBytes = 4 << 10

// run does one run in a process of its own. The command line of a profiled run begins with wrap.
func (p process) run(ctx context.Context, r request, wrap ...string) (lab.Outcome, error) {
	folder, err := os.MkdirTemp(p.folder, "run-")
	if err != nil {
		return lab.Outcome{}, err
	}
	r.Task.Folder = folder
	experiment, _, _ := strings.Cut(r.Task.Variant, "/")
	r.Task.Kept = filepath.Join(p.folder, "kept-"+experiment)
	if err := os.MkdirAll(r.Task.Kept, 0o755); err != nil {
		return lab.Outcome{}, err
	}
	o, err := p.exec(ctx, r, wrap)
	return o, errors.Join(err, os.RemoveAll(folder))
}

func (p process) exec(ctx context.Context, r request, wrap []string) (lab.Outcome, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return lab.Outcome{}, err
	}
	args := append(append(append([]string{}, wrap...), p.command...), string(text))
	limited, cancel := context.WithTimeout(ctx, p.longest)
	defer cancel()
	cmd := exec.CommandContext(limited, args[0], args[1:]...)
	ownGroup(cmd) // so that its children are killed with it, and a Ctrl-C reaches only this program
	cmd.WaitDelay = killedAfter
	var stdout bytes.Buffer
	stderr := &tail{keep: stderrBytes}
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return lab.Outcome{}, ctx.Err()
	case limited.Err() != nil:
		return lab.Outcome{}, fmt.Errorf("it had not ended after %v and was killed%s", p.longest, stderr.said())
	case err != nil:
		return lab.Outcome{}, fmt.Errorf("its process ended with %w%s", err, stderr.said())
	}
	var answer reply
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
		return lab.Outcome{}, fmt.Errorf("answer of its process: %w%s", err, stderr.said())
	}
	if answer.Error != "" {
		return lab.Outcome{}, errors.New(answer.Error)
	}
	return answer.Outcome, nil
}

// tail is a writer that keeps the end of what is written.
type tail struct {
	keep int
	end  []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.end = append(t.end, b...)
	if cut := len(t.end) - t.keep; cut > 0 {
		t.end = append(t.end[:0], t.end[cut:]...)
	}
	return len(b), nil
}

// said returns what was written, to be appended to a message.
func (t *tail) said() string {
	text := strings.TrimSpace(string(t.end))
	if text == "" {
		return ""
	}
	return "; it wrote: " + text
}

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
