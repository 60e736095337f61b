package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
