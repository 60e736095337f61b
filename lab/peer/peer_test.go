package peer

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const missing = "thresh-no-such-program"

func TestMissing(t *testing.T) {
	if got := Missing("go", missing, missing+"2"); got != missing {
		t.Errorf("missing %q", got)
	}
	if got := Missing("go"); got != "" {
		t.Errorf("missing %q", got)
	}
	if got := NotInstalled(missing); got != missing+" is not installed" || NotInstalled("go") != "" {
		t.Errorf("%q", got)
	}
}

func TestVersion(t *testing.T) {
	if got := Version(missing); got != Absent {
		t.Errorf("version %q", got)
	}
	if got := Version(filepath.Join(t.TempDir(), missing)); got != Absent {
		t.Errorf("version %q", got)
	}
	if runtime.GOOS == "linux" && Missing("grep") == "" && !strings.Contains(Versions()["grep"], "grep") {
		t.Errorf("versions %q", Versions())
	}
	for name, v := range Versions() {
		if v == "" || v == Absent || strings.Contains(v, "\n") {
			t.Errorf("version of %s: %q", name, v)
		}
	}
}

func TestRun(t *testing.T) {
	if Missing("cmp") != "" || runtime.GOOS != "linux" {
		t.Skip("no cmp, or no /dev/zero")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("\x00\x00x"), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := Run(context.Background(), 1, Cmp(file)...)
	if err != nil || o.Status != 1 || o.Seconds <= 0 {
		t.Fatalf("%+v, error %v", o, err)
	}
	if at, err := ParseCmp(o.Stdout); err != nil || at != "2" {
		t.Errorf("offset %s, error %v", at, err)
	}
	if _, err := Run(context.Background(), 0, Cmp(file)...); err == nil {
		t.Error("no error for a status that is too large")
	}
	if _, err := Run(context.Background(), 1, Cmp(file+"2")...); err == nil || !strings.Contains(err.Error(), "file2") {
		t.Errorf("error %v for a file that is not there", err)
	}
	if _, err := Run(context.Background(), 9, missing); err == nil {
		t.Error("no error for a program that is not there")
	}
}

func TestLastLine(t *testing.T) {
	for text, want := range map[string]string{"": "", "a\n": "a", "a\n b\nc \n\n": "c"} {
		if got := lastLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestParseTimed(t *testing.T) {
	got, err := ParseTimed(`{"seconds": 0.5, "answer": {"a": 1}}`)
	if err != nil || got.Seconds != 0.5 || string(got.Answer) != `{"a": 1}` {
		t.Errorf("%+v, error %v", got, err)
	}
	for _, bad := range []string{"", "no", `{"seconds": 0}`, `{"answer": 1}`} {
		if _, err := ParseTimed(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func TestPython(t *testing.T) {
	folder := t.TempDir()
	own := filepath.Join(folder, "venv", "bin", "python")
	if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(own, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := Python(folder); got != own {
		t.Errorf("python %q, want %q", got, own)
	}
	for name, v := range Libraries(own) {
		if v != Absent {
			t.Errorf("an empty program has %s %s", name, v)
		}
	}
}

func TestConfigurations(t *testing.T) {
	temp := t.TempDir()
	nginx, nerr := Nginx("127.0.0.1:81", "/data", temp, 4096)
	haproxy, herr := HAProxy("127.0.0.1:82", "127.0.0.1:83", temp)
	if nerr != nil || herr != nil {
		t.Fatal(nerr, herr)
	}
	for file, want := range map[string][]string{
		nginx[slices.Index(nginx, "-c")+1]:     {"listen 127.0.0.1:81 ", `root "/data";`, "worker_connections 4096;", temp},
		haproxy[slices.Index(haproxy, "-f")+1]: {"bind 127.0.0.1:82", "target 127.0.0.1:83"},
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s lacks %q:\n%s", file, w, text)
			}
		}
		for _, left := range []string{"ADDR", "TEMP", "FOLDER", "FILES", "TARGET", "JSON"} {
			if strings.Contains(string(text), left) {
				t.Errorf("%s has a %s that was not replaced", file, left)
			}
		}
	}
}

// TestQuotedPaths has nginx read its configuration with folders whose names are made to be misread.
func TestQuotedPaths(t *testing.T) {
	for _, name := range []string{"with a space", `quote " and \ backslash`, "semicolon; brace {"} {
		folder, temp := filepath.Join(t.TempDir(), name), filepath.Join(t.TempDir(), name)
		for _, f := range []string{folder, temp} {
			if err := os.Mkdir(f, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		command, err := Nginx("127.0.0.1:81", folder, temp, 4096)
		if err != nil {
			t.Fatal(err)
		}
		if Missing("nginx") != "" {
			t.Skip("no nginx")
		}
		if out, err := exec.Command(command[0], append(command[1:], "-t")...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	for _, paths := range [][2]string{{"/a$b", "/c"}, {"/a", "/b$c"}} {
		if _, err := Nginx("127.0.0.1:81", paths[0], paths[1], 4096); err == nil || !strings.Contains(err.Error(), "variable") {
			t.Errorf("%q: error %v", paths, err)
		}
	}
}

func TestParseCmp(t *testing.T) {
	got, err := ParseCmp("/tmp/a b, c/hay /dev/zero differ: byte 4294967289, line 1\n")
	if err != nil || got != "4294967288" {
		t.Errorf("offset %s, error %v", got, err)
	}
	for _, bad := range []string{"", "cmp: EOF on a", "a b differ: byte x, line 1"} {
		if _, err := ParseCmp(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func TestParseFio(t *testing.T) {
	bytes, rate, err := ParseFio("fio: a warning\n" +
		`{"jobs":[{"error":0,"read":{"io_bytes":1000,"bw_bytes":250}},{"error":0,"read":{"io_bytes":24,"bw_bytes":50}}]}`)
	if err != nil || bytes != 1024 || rate != 300 {
		t.Errorf("%d bytes, %g a second, error %v", bytes, rate, err)
	}
	for _, bad := range []string{
		"", "{", `{"jobs":[]}`, `{"jobs":[{"error":5,"read":{"io_bytes":1000,"bw_bytes":250}}]}`,
	} {
		if _, _, err := ParseFio(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}
