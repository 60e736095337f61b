package matrix

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/answer"
)

// command builds the command and returns its path.
func command(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "thresh")
	if out, err := exec.Command("go", "build", "-o", name, "../../../cmd/thresh").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	return name
}

// ran is the result of a run of the command.
type ran struct {
	out, errors string
	status      int
}

// start runs the command on a kind of input: a named file or standard input.
func start(t *testing.T, r *rand.Rand, program, kind string, data []byte, args ...string) ran {
	t.Helper()
	k := kinds[kind]
	cmd := exec.Command(program)
	name := "-"
	var end func() error
	if k.name != nil {
		name = k.name(t, r, data)
		end = func() error { return remove(name) }
	} else {
		cmd.Stdin, end = k.from(t, r, data)
	}
	cmd.Args = append(append(cmd.Args, args...), name)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+folder(t))
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if f, ok := cmd.Stdin.(*os.File); ok { // so that the writer gets an error and ends
		f.Close()
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	return ran{out.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// TestCommand runs random queries with the command and checks its output, JSON and exit status.
func TestCommand(t *testing.T) {
	program := command(t)
	casesOf(t, 40, []int{0}, func(t *testing.T, r *rand.Rand) error {
		s, err := randomSquare(r)
		if err != nil || s.flags == nil || s.kind == "moved file" || inputs[s.kind].input != nil {
			return err
		}
		s.options.Limit, s.options.MemoryBytes = 0, 0
		asJSON := chance(r, 2)
		got := start(t, r, program, s.kind, s.data, s.arguments(asJSON)...)
		if err := s.judgeRun(got, asJSON); err != nil {
			return fmt.Errorf("%v\nthresh %q: status %d, %.200q %.400q: %w", &s, s.arguments(asJSON), got.status, got.out, got.errors, err)
		}
		return nil
	})
}

// arguments returns the command's arguments for the square.
func (s *square) arguments(asJSON bool) []string {
	args := []string{"count"}
	if s.find {
		args = []string{"find", "--all"}
	}
	args = append(args, s.flags...)
	o := s.options
	if o.Engine != "" {
		args = append(args, "--engine="+string(o.Engine))
	}
	for name, n := range map[string]int64{"workers": int64(o.Workers), "chunk": int64(o.ChunkBytes), "offset": o.Offset} {
		if n > 0 {
			args = append(args, fmt.Sprintf("--%s=%d", name, n))
		}
	}
	if o.Length != nil {
		args = append(args, fmt.Sprintf("--length=%d", *o.Length))
	}
	if asJSON {
		args = append(args, "--json")
	}
	return args
}

// judgeRun compares the result of the command with the plain answer.
func (s *square) judgeRun(got ran, asJSON bool) error {
	span, inside := s.span(s.data)
	if !inside && !kinds[s.kind].stream {
		return errors.Join(same("exit status", got.status, 2), same("output", got.out, ""))
	}
	if strings.Contains(got.errors, "<nil>") || strings.Contains(got.errors, "panic") {
		return errors.New("the error output has <nil> or a panic")
	}
	if !s.find {
		return errors.Join(same("exit status", got.status, 0), s.countPrinted(span, got.out, asJSON))
	}
	want, status := s.places(span), 0
	for i := range want {
		want[i].Off += s.options.Offset
	}
	if len(want) == 0 {
		status = 1
	}
	hits, err := s.placesPrinted(got.out, asJSON)
	return errors.Join(err, same("exit status", got.status, status), sameHits(hits, want))
}

func (s *square) countPrinted(span []byte, out string, asJSON bool) error {
	report := answer.Report{}
	text := strings.TrimSpace(out)
	if asJSON {
		var line struct{ Count *int64 }
		first, _, _ := strings.Cut(out, "\n")
		if err := json.Unmarshal([]byte(first), &line); err != nil || line.Count == nil {
			return fmt.Errorf("no count in %q: %v", first, err)
		}
		text = fmt.Sprint(*line.Count)
	}
	var err error
	if report.Hits, err = strconv.ParseInt(text, 10, 64); err != nil {
		return err
	}
	return s.check(span, &report)
}

// placesPrinted parses the hits that find printed. Without JSON they have no lengths, which are
// then copied from the plain answer.
func (s *square) placesPrinted(out string, asJSON bool) (hits []answer.Hit, err error) {
	span, _ := s.span(s.data)
	plain := s.places(span)
	for line := range strings.Lines(out) {
		var hit struct {
			Offset, Length *int64
			Summary        *struct {
				Hits, Bytes int64
				Complete    bool
			}
		}
		if !asJSON {
			off, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
			if err != nil {
				return hits, err
			}
			length := int64(0)
			if len(hits) < len(plain) {
				length = plain[len(hits)].Len
			}
			hits = append(hits, answer.Hit{Off: off, Len: length})
			continue
		}
		if err := json.Unmarshal([]byte(line), &hit); err != nil {
			return hits, err
		}
		switch {
		case hit.Summary != nil:
			err = errors.Join(err, same("hits in the summary", hit.Summary.Hits, int64(len(plain))),
				same("complete in the summary", hit.Summary.Complete, true))
		case hit.Offset == nil || hit.Length == nil:
			err = errors.Join(err, fmt.Errorf("a line without offset or length: %q", line))
		default:
			hits = append(hits, answer.Hit{Off: *hit.Offset, Len: *hit.Length})
		}
	}
	return hits, err
}
