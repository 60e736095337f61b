package measure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/machine"
)

// TestMain makes this test binary the child of its own tests.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "child" {
		if err := Child(context.Background(), []*lab.Experiment{made()}, os.Args[2], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// made is an experiment whose variants do what variants may do.
func made() *lab.Experiment {
	took := func(answer string) (lab.Outcome, error) { return lab.Outcome{Seconds: 0.001, Answer: answer}, nil }
	read := func(_ context.Context, t lab.Task) (lab.Outcome, error) {
		text, err := os.ReadFile(t.Path)
		if err != nil {
			return lab.Outcome{}, err
		}
		if int64(len(text)) != t.Bytes {
			return lab.Outcome{}, fmt.Errorf("%d bytes, not %d", len(text), t.Bytes)
		}
		return took(fmt.Sprint(len(text)))
	}
	none := []lab.Setting{{}}
	return &lab.Experiment{
		Name: "made", Method: lab.Method{Runs: 4, Trim: 1}, Bytes: 1 << 20,
		Metric: lab.Metric{Unit: "s", Of: func(o lab.Outcome) float64 { return o.Seconds }},
		Inputs: []lab.Input{{Name: "file", Share: 1, Version: 1,
			Write: func(_ context.Context, path string, bytes int64) (string, error) {
				return fmt.Sprint(bytes), os.WriteFile(path, make([]byte, bytes), 0o600)
			}}},
		Variants: []lab.Variant{
			{ID: "made/read", Input: "file", Run: read, Settings: []lab.Setting{
				{State: lab.Cold}, {State: lab.Warm, Workers: 1}, {State: lab.Warm, Workers: 2}, {State: lab.Pieces}}},
			{ID: "made/half", Input: "file", Share: 0.5, Run: read, Settings: none},
			{ID: "made/rule", Input: "file", Run: read, WantOf: func(a string) string { return a }},
			{ID: "made/wrong", Input: "file", Run: func(context.Context, lab.Task) (lab.Outcome, error) { return took("7") }},
			{ID: "made/fails", Run: func(context.Context, lab.Task) (lab.Outcome, error) {
				return lab.Outcome{}, errors.New("no luck")
			}},
			{ID: "made/panics", Run: func(context.Context, lab.Task) (lab.Outcome, error) { panic("at the disco") }},
			{ID: "made/hangs", Run: func(context.Context, lab.Task) (lab.Outcome, error) {
				fmt.Println("waiting")
				time.Sleep(time.Hour)
				return took("")
			}},
			{ID: "made/procs", Settings: []lab.Setting{{Procs: 1}}, Want: func(lab.Setting) string { return "1" },
				Run: func(context.Context, lab.Task) (lab.Outcome, error) { return took(fmt.Sprint(runtime.GOMAXPROCS(0))) }},
			{ID: "made/folder", Want: func(lab.Setting) string { return "empty" },
				Run: func(_ context.Context, t lab.Task) (lab.Outcome, error) {
					entries, err := os.ReadDir(t.Folder)
					if err != nil || len(entries) > 0 {
						return lab.Outcome{}, fmt.Errorf("folder %q has %v: %w", t.Folder, entries, err)
					}
					fmt.Println("this must not spoil the answer")
					return lab.Outcome{Seconds: 1, Answer: "empty", Calls: 42}, os.WriteFile(filepath.Join(t.Folder, "x"), nil, 0o600)
				}},
			{ID: hasTrace + "0", Run: func(context.Context, lab.Task) (lab.Outcome, error) { return took("") }},
			{ID: "made/kept", Run: func(_ context.Context, t lab.Task) (lab.Outcome, error) {
				entries, err := os.ReadDir(t.Kept)
				name := filepath.Join(t.Kept, fmt.Sprint(len(entries)))
				return lab.Outcome{Seconds: 1, Calls: int64(len(entries) + 1)}, errors.Join(err, os.WriteFile(name, nil, 0o600))
			}},
			{ID: "made/timeless", Run: func(context.Context, lab.Task) (lab.Outcome, error) { return lab.Outcome{}, nil }},
			{ID: "made/missing", Missing: func() string { return "no such program" }, Run: read, Input: "file"},
			// The page cache loses its input in the first run, and in every run.
			{ID: "made/loses-once", Input: "file", Settings: []lab.Setting{{State: lab.Warm}},
				WantOf: func(string) string { return "kept" }, Run: func(_ context.Context, t lab.Task) (lab.Outcome, error) {
					if _, err := os.Stat(t.Path + ".lost"); err == nil {
						return took("kept")
					}
					o, _ := took("lost")
					return o, errors.Join(os.WriteFile(t.Path+".lost", nil, 0o600), drop(t.Path))
				}},
			{ID: "made/loses", Input: "file", Settings: []lab.Setting{{State: lab.Warm}},
				Run: func(_ context.Context, t lab.Task) (lab.Outcome, error) {
					o, _ := took("1048576")
					return o, drop(t.Path)
				}},
			{ID: "made/busy", Run: func(context.Context, lab.Task) (lab.Outcome, error) {
				begin := time.Now()
				before, err := used()
				// Of processor time, because on a busy machine the clock says little.
				for spent := 0.0; err == nil && spent < 0.3 && runtime.GOOS != "windows"; {
					for range 1_000_000 {
						continue
					}
					var now usage
					now, err = used()
					spent = now.user + now.system - before.user - before.system
				}
				return lab.Outcome{Seconds: time.Since(begin).Seconds() + 1e-6}, err
			}},
		},
	}
}

func options(t *testing.T, only ...string) Options {
	t.Helper()
	folder := t.TempDir()
	o := Options{
		Choice: Choice{Cold: true, Only: anyOf(only)}, Folder: folder, Journal: filepath.Join(folder, "journal"),
		Budget: time.Minute, Longest: time.Minute, Command: []string{os.Args[0], "child"}, Report: func(Progress) {},
	}
	return o
}

func measured(t *testing.T, o Options) lab.Results {
	t.Helper()
	r, err := Run(context.Background(), o, []*lab.Experiment{made()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// only returns the one measurement of a variant.
func only(t *testing.T, r lab.Results, id string) lab.Measurement {
	t.Helper()
	var of []lab.Measurement
	for _, m := range r.Measurements {
		if m.Variant == id {
			of = append(of, m)
		}
	}
	if len(of) != 1 {
		t.Fatalf("%s has %d measurements: %+v", id, len(of), of)
	}
	return of[0]
}

func TestStates(t *testing.T) {
	o := options(t, "made/read", "made/half", "made/rule")
	r := measured(t, o)
	var states []lab.State
	for _, m := range r.Measurements {
		states = append(states, m.Setting.State)
		if m.Skipped != "" && machine.InMemory(machine.FileSystem(o.Folder)) {
			continue
		}
		if len(m.Outcomes) != 4 || m.Wrong != "" || m.Skipped != "" || m.Fewer != "" {
			t.Errorf("%+v", m)
		}
		if want := map[string]int64{"made/read": 1 << 20, "made/half": 1 << 19, "made/rule": 1 << 20}[m.Variant]; m.Bytes != want {
			t.Errorf("%s: %d bytes, want %d", m.Variant, m.Bytes, want)
		}
		inMemory := m.Setting.State == lab.Warm || m.Setting.State == lab.Pieces
		if runtime.GOOS == "linux" && inMemory != (m.FaultsPerGiB > 0) {
			t.Errorf("%s, %v: %g faults per GiB", m.Variant, m.Setting, m.FaultsPerGiB)
		}
	}
	want := []lab.State{lab.Any, lab.Any, lab.Warm, lab.Warm, lab.Pieces, lab.Cold}
	if !slices.Equal(states, want) {
		t.Errorf("states %q, want %q", states, want)
	}
	names, err := filepath.Glob(filepath.Join(o.Folder, "*"))
	if err != nil || len(names) != 5 { // two inputs with labels, the journal: nothing of the runs, no pieces
		t.Errorf("left: %q, error %v", names, err)
	}
}

func TestOutcomes(t *testing.T) {
	var ending []string // beside other work they may need longer than the one that never ends gets
	for _, v := range made().Variants {
		if v.ID != "made/hangs" {
			ending = append(ending, v.ID)
		}
	}
	r := measured(t, options(t, ending...))
	hanging := options(t, "made/hangs")
	hanging.Longest = 2 * time.Second
	r.Measurements = append(r.Measurements, measured(t, hanging).Measurements...)
	skipped := map[string]string{
		"made/fails": "failed: no luck", "made/panics": "at the disco", "made/hangs": "had not ended after 2s and was killed; it wrote: waiting",
		"made/timeless": "took 0 seconds", "made/missing": "no such program",
	}
	for id, why := range skipped {
		if m := only(t, r, id); !strings.Contains(m.Skipped, why) || len(m.Outcomes) > 0 {
			t.Errorf("%s: skipped %q with %d outcomes, want %q", id, m.Skipped, len(m.Outcomes), why)
		}
	}
	if m := only(t, r, "made/wrong"); m.Wrong != "7" || m.Want != "1048576" || len(m.Outcomes) != 1 {
		t.Errorf("made/wrong: %+v", m)
	}
	for _, id := range []string{"made/procs", "made/folder"} {
		if m := only(t, r, id); m.Wrong != "" || len(m.Outcomes) != 4 || m.Want == "" {
			t.Fatalf("%s: %+v", id, m)
		}
	}
	for i, o := range only(t, r, "made/kept").Outcomes {
		if o.Calls != int64(i+1) {
			t.Errorf("run %d found %d files of earlier runs", i, o.Calls-1)
		}
	}
	if m := only(t, r, "made/folder"); m.Outcomes[0].Calls != 42 || m.Outcomes[0].MinorFaults == 0 && runtime.GOOS == "linux" {
		t.Errorf("counters: %+v", m.Outcomes[0])
	}
	busy := only(t, r, "made/busy").Outcomes[0]
	if used := busy.UserSeconds + busy.SystemSeconds; runtime.GOOS != "windows" && (used < 0.05 || used > 1) {
		t.Errorf("0.3 busy seconds took %g s of processor time", used)
	}
}

// TestResume interrupts a session, and goes on with it.
func TestResume(t *testing.T) {
	o := options(t, "made/rule", "made/procs", "made/wrong", "made/fails")
	ctx, cancel := context.WithCancel(context.Background())
	runs := 0
	o.Report = func(p Progress) {
		if runs++; runs == 4 {
			cancel()
		}
		if p.Done < 0 || p.Done > 1 || p.Left < 0 {
			t.Errorf("progress %+v", p)
		}
	}
	part, err := Run(ctx, o, []*lab.Experiment{made()})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want %v", err, context.Canceled)
	}
	if u := part.Unfinished; u == nil || u.Why != "interrupted" || len(u.NotRun) == 0 || len(u.NotRun)+len(part.Measurements) != 4 {
		t.Errorf("%d measurements, unfinished %+v", len(part.Measurements), u)
	}
	text, err := os.ReadFile(o.Journal)
	if err != nil || strings.Count(string(text), "\n") < 2 {
		t.Fatalf("journal %q, error %v", text, err)
	}
	before := strings.Count(string(text), "\n")
	// As if the power had failed in the middle of a line.
	if err := os.WriteFile(o.Journal, append(text, `{"variant": "made/ru`...), 0o600); err != nil {
		t.Fatal(err)
	}
	again := 0
	o.Report = func(p Progress) {
		if strings.Contains(p.Doing, "run ") {
			again++
		}
	}
	r := measured(t, o)
	if r.Unfinished != nil {
		t.Errorf("unfinished %v", r.Unfinished)
	}
	for _, id := range []string{"made/rule", "made/procs"} {
		if m := only(t, r, id); len(m.Outcomes) != 4 {
			t.Errorf("%s has %d outcomes after going on", id, len(m.Outcomes))
		}
	}
	const all = 4 + 4 + 1 + 1
	if again != all-before {
		t.Errorf("%d runs after going on, want %d", again, all-before)
	}
	again = 0
	o.Only = anyOf([]string{"made/procs"}) // what was measured before stays in the results
	if r := measured(t, o); again != 0 || only(t, r, "made/fails").Skipped != "failed: no luck" || len(r.Measurements) != 4 {
		t.Errorf("a session that was complete made %d runs; results %+v", again, r)
	}
	o.Fresh = true
	if r := measured(t, o); again != 4 || len(r.Measurements) != 1 {
		t.Errorf("a fresh session made %d runs, and has %d measurements", again, len(r.Measurements))
	}
}

func TestBrokenJournal(t *testing.T) {
	o := options(t)
	if err := os.WriteFile(o.Journal, []byte("{}\nno\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Run(context.Background(), o, []*lab.Experiment{made()})
	if err == nil || !strings.Contains(err.Error(), "line 2") || !strings.Contains(err.Error(), "--fresh") {
		t.Errorf("error %v", err)
	}
	if _, err = os.Stat(o.Journal); errors.Is(err, fs.ErrNotExist) {
		t.Error("the journal is gone")
	}
}

// TestBudget gives an experiment too little time: each variant runs at least once, and says why not more.
func TestBudget(t *testing.T) {
	o := options(t, "made/busy")
	o.Budget = 100 * time.Millisecond
	if m := only(t, measured(t, o), "made/busy"); len(m.Outcomes) != 1 || !strings.HasPrefix(m.Fewer, "1 of 4 runs") {
		t.Errorf("%d outcomes, %q", len(m.Outcomes), m.Fewer)
	}
}

func TestProfile(t *testing.T) {
	o := options(t, "made/busy", "made/read")
	o.Profile = true
	r := measured(t, o)
	m := only(t, r, "made/busy")
	if m.Profile == nil || len(m.Outcomes) < 1 || !m.Setting.Profiled {
		t.Fatalf("%+v", m)
	}
	var samples, busy int64
	for stack, n := range m.Profile.Folded {
		samples += n
		if strings.Contains(stack, "made.func") {
			busy += n
		}
	}
	if samples < 5 || busy < samples/4 || (m.Profile.Source == "perf") != (m.Profile.Note == "") {
		t.Errorf("%s: %d samples, %d of them busy: %v", m.Profile.Source, samples, busy, m.Profile.Folded)
	}
	if s := only(t, r, "made/read").Setting; s.State == lab.Cold {
		t.Errorf("profiled under %+v", s)
	}
}

func TestOtherVersionIsMadeAnew(t *testing.T) {
	var made []string
	in := inputs{t.TempDir(), func(name string) { made = append(made, name) }}
	i := lab.Input{Name: "file", Version: 1, Write: func(_ context.Context, path string, bytes int64) (string, error) {
		return fmt.Sprint("answer ", len(made)), os.WriteFile(path, make([]byte, bytes), 0o600)
	}}
	get := func(wantMade int) {
		t.Helper()
		got, err := in.get(context.Background(), "e", i, 8192)
		if err != nil || len(made) != wantMade || got.answer != fmt.Sprint("answer ", wantMade) || got.bytes != 8192 {
			t.Fatalf("%+v, error %v, made %q; want %d", got, err, made, wantMade)
		}
	}
	get(1)
	get(1)
	i.Version = 2
	get(2)
	path := filepath.Join(in.folder, "e-file-8192")
	if err := os.WriteFile(path, make([]byte, 8191), 0o600); err != nil {
		t.Fatal(err)
	}
	get(3)
	if err := os.Chtimes(path, time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	get(4)
	i.Version, i.Write = 3, func(context.Context, string, int64) (string, error) { return "", errors.New("full") }
	if _, err := in.get(context.Background(), "e", i, 8192); err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("error %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(in.folder, "*")); err != nil || len(left) != 0 {
		t.Errorf("left %q, error %v", left, err)
	}
}
