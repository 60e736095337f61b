package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCmpKilled kills runs with a certificate at each of their calls that write, from the first to the last, and resumes
// them: the certificate is that of a run that was not killed, and nothing is left behind.
func TestCmpKilled(t *testing.T) {
	folder := refusedFiles(t)
	in := filepath.Join(folder, "in")
	changed := make([]byte, 8<<20)
	changed[5<<20], changed[len(changed)-1] = 1, 2
	if err := os.WriteFile(filepath.Join(in, "same.img"), changed, 0o644); err != nil {
		t.Fatal(err)
	}
	cmp := func(before ...string) (status int, certificate, message string) {
		args := append(before, "thresh", "cmp", "blank.img", "same.img", "--report", "out.json", "--workers", "2")
		if len(before) == 0 {
			args = append(args, "--resume")
		}
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = in
		text, _ := cmd.CombinedOutput() // the exit status says what the error does
		made, _ := os.ReadFile(filepath.Join(in, "out.json"))
		return cmd.ProcessState.ExitCode(), changing.ReplaceAllString(string(made), ""), string(text)
	}
	_, want, message := cmp()
	if !strings.Contains(want, `"different": 2`) {
		t.Fatal(message)
	}
	leftBehind(t, folder, "out.json")
	want, _, _ = strings.Cut(want, `"sessions"`) // of which there are two
	for call, most := range map[string]int{"write": 5, "fsync": 5, "flock": 1, "linkat": 1, "unlinkat": 1} {
		for n := range most {
			inject := fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n+1)
			killed, _, message := cmp("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace="+call, "-e", inject)
			if killed == 1 && n > 0 { // there was no such call
				leftBehind(t, folder, "out.json")
				continue
			}
			status, got, text := cmp()
			if got, _, _ = strings.Cut(got, `"sessions"`); status != 1 || got != want {
				t.Errorf("%s: exit status %d, then %d\n%s\n%s\n%.600s", inject, killed, status, message, text, got)
			}
			if left := leftBehind(t, folder, "out.json"); len(left) > 0 {
				t.Errorf("%s: %v are left behind", inject, left)
			}
		}
	}
}
