package proc

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFile reads the files of this process, and of one that ends.
func TestFile(t *testing.T) {
	buf := make([]byte, 4096)
	self, err := Open("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	for range 3 { // from the start each time
		text, err := self.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := ParseStat(text); err != nil || s.PID != os.Getpid() || s.PPID != os.Getppid() || s.Threads < 1 {
			t.Fatalf("%s: %+v, %v", text, s, err)
		}
	}
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f, err := Open(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Read(buf); err != nil {
		t.Error(err)
	}
	all, err := Open("/proc")
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	for range 2 {
		if list, err := all.AppendNumbered(nil, buf); err != nil || !slices.Contains(list, cmd.Process.Pid) || !slices.Contains(list, 1) {
			t.Errorf("the processes %v lack %d: %v", list, cmd.Process.Pid, err)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if text, err := f.Read(buf); err != unix.ESRCH {
		t.Errorf("after its end: %s, %v", text, err)
	}
	if _, err := (File{}).Read(buf); err != unix.EBADF {
		t.Errorf("reading a file that is not open: %v", err)
	}
	if _, err := (File{}).AppendNumbered(nil, buf); err != unix.EBADF {
		t.Errorf("listing a folder that is not open: %v", err)
	}
}
