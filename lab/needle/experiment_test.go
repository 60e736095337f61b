package needle

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
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
				if v.Want != nil {
					want = v.Want(s)
				}
				if err != nil || o.Answer != want || o.Seconds <= 0 || o.Bytes < 2<<20 || o.Bytes > size {
					t.Fatalf("%+v: outcome %+v, error %v; want the answer %s", s, o, err, want)
				}
			}
			if v.Want != nil {
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
		if v.Want != nil || v.Missing != nil && v.Missing() != "" {
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
	for _, test := range []struct {
		out  string
		want int64
		bad  bool
	}{
		{"", -1, false},
		{"/tmp/file /dev/zero differ: char 1073741817, line 1\n", 1073741816, false},
		{"a differ: byte 3, line 1 /dev/zero differ: byte 9, line 1\n", 2, false},
		{"byte 7 /dev/zero differ: byte 9, line 1\n", 8, false},
		{"x differ: byte many\n", -1, true},
		{"something else\n", -1, true},
	} {
		if got, err := parseCmp([]byte(test.out)); got != test.want || (err != nil) != test.bad {
			t.Errorf("cmp %q: %d, %v", test.out, got, err)
		}
	}
	for _, test := range []struct {
		out  string
		want int64
		bad  bool
	}{{"", -1, false}, {"1073741816:\x01\x00", 1073741816, false}, {"what?", -1, true}} {
		if got, err := parseGrep([]byte(test.out)); got != test.want || (err != nil) != test.bad {
			t.Errorf("grep %q: %d, %v", test.out, got, err)
		}
	}
	o, err := parseFio([]byte("fio: a note\n" + `{"jobs":[{"error":0,"read":{"io_bytes":4096,"bw_bytes":8192}}]}`))
	if err != nil || o.Bytes != 4096 || o.Seconds != 0.5 {
		t.Errorf("fio: %+v, %v", o, err)
	}
	for _, bad := range []string{"", "{}", `{"jobs":[{"error":5,"read":{"bw_bytes":1}}]}`, `{"jobs":[{"read":{}}]}`} {
		if _, err := parseFio([]byte(bad)); err == nil {
			t.Errorf("fio %q: no error", bad)
		}
	}
}

// TestPeerErrors checks that a program that fails is an error, and so is one that was interrupted.
func TestPeerErrors(t *testing.T) {
	if notInstalled("cmp") != "" {
		t.Skip("no cmp")
	}
	if _, err := output(t.Context(), "cmp", t.TempDir(), "/dev/zero"); err == nil {
		t.Error("no error for a folder")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := output(ctx, "cmp", "/dev/zero", "/dev/zero"); err == nil {
		t.Error("no error after the interruption")
	}
}
