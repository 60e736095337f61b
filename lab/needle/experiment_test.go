package needle

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/peer"
)

// TestExperiment runs every variant that can run here on a small input, under each number of workers, and
// compares the answer with the input's.
func TestExperiment(t *testing.T) {
	e := Experiment()
	path := filepath.Join(t.TempDir(), "file")
	const size = 2<<20 + 8
	want, err := e.Inputs[0].Write(t.Context(), path, size+3)
	if err != nil || want != "2097152" {
		t.Fatalf("answer %q, error %v", want, err)
	}
	hidden := haystack(t, size, 1<<20+5)
	for _, v := range e.Variants {
		t.Run(v.ID, func(t *testing.T) {
			if v.Missing != nil && v.Missing() != "" {
				t.Skip(v.Missing())
			}
			for _, s := range v.Settings {
				o, err := v.Run(t.Context(), lab.Task{Variant: v.ID, Path: path, Bytes: size, Setting: s})
				if v.ID == "needle/v14" {
					skipWithoutDirect(t, Variant{ID: "v14"}, err)
				}
				want := want
				if v.WantOf != nil {
					want = v.WantOf(want)
				}
				if err != nil || o.Answer != want || o.Seconds <= 0 || o.Bytes < 2<<20 || o.Bytes > size {
					t.Fatalf("%+v: outcome %+v, error %v; want the answer %s", s, o, err, want)
				}
			}
			if v.WantOf != nil {
				return
			}
			// Another file has another answer: a variant does not just name the end.
			o, err := v.Run(t.Context(), lab.Task{Variant: v.ID, Path: hidden, Bytes: size, Setting: v.Settings[0]})
			if err != nil || o.Answer != "1048576" {
				t.Errorf("answer %s, error %v; want 1048576", o.Answer, err)
			}
			o, err = v.Run(t.Context(), lab.Task{Variant: v.ID, Path: filepath.Join(t.TempDir(), "missing"), Setting: v.Settings[0]})
			if err == nil {
				t.Errorf("no error for a missing file: %+v", o)
			}
		})
	}
}

// TestNothingFound checks that a file of zeros is an answer too, for programs that end with a status.
func TestNothingFound(t *testing.T) {
	path := haystack(t, 4096)
	for _, v := range Experiment().Variants {
		if v.WantOf != nil || v.Missing != nil && v.Missing() != "" {
			continue
		}
		o, err := v.Run(t.Context(), lab.Task{Variant: v.ID, Path: path, Bytes: 4096})
		if v.ID == "needle/v14" && err != nil {
			continue
		}
		if err != nil || o.Answer != "-1" {
			t.Errorf("%s: answer %s, error %v; want -1", v.ID, o.Answer, err)
		}
	}
}

// TestList checks the IDs, and that each variant says what readers need.
func TestList(t *testing.T) {
	var ids []string
	for _, v := range Experiment().Variants {
		ids = append(ids, strings.TrimPrefix(v.ID, "needle/"))
		if v.What == "" || v.Input != input || len(v.Settings) == 0 {
			t.Errorf("%s: incomplete: %+v", v.ID, v)
		}
		for _, p := range v.Published {
			if p.Value <= 0 || p.Setting.State == lab.Any {
				t.Errorf("%s: published %+v", v.ID, p)
			}
		}
		for i, s := range v.Settings {
			if slices.Contains(v.Settings[:i], s) {
				t.Errorf("%s: %+v twice", v.ID, s)
			}
		}
	}
	want := "v01 v02 v03 v04 v05 v06 v07 v08 v09 v10 v11 v12 v13 v14 thresh cmp grep fio-direct"
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("variants %s, want %s", got, want)
	}
}

func TestParsePeers(t *testing.T) {
	const none = "cmp: EOF on 'file' after byte 4096, in line 1\n"
	for _, test := range []struct {
		out  peer.Output
		want int64
		bad  bool
	}{
		{peer.Output{Stderr: none, Status: 1}, -1, false},
		{peer.Output{Stdout: "/tmp/file /dev/zero differ: char 1073741817, line 1\n", Status: 1}, 1073741816, false},
		{peer.Output{Stdout: "byte 7 /dev/zero differ: byte 9, line 1\n", Status: 1}, 8, false},
		{peer.Output{Stdout: "x differ: byte many\n"}, -1, true},
		{peer.Output{}, -1, true},
	} {
		if got, err := offsetOfCmp(test.out); got != test.want || (err != nil) != test.bad {
			t.Errorf("cmp %+v: %d, %v", test.out, got, err)
		}
	}
	for _, test := range []struct {
		out  peer.Output
		want int64
		bad  bool
	}{
		{peer.Output{Status: 1}, -1, false}, {peer.Output{Stdout: "1073741816:\x01\x00"}, 1073741816, false},
		{peer.Output{Stdout: "what?"}, -1, true}, {peer.Output{}, -1, true}, {peer.Output{Status: 1, Stderr: "no"}, -1, true},
	} {
		if got, err := offsetOfGrep(test.out); got != test.want || (err != nil) != test.bad {
			t.Errorf("grep %+v: %d, %v", test.out, got, err)
		}
	}
}
