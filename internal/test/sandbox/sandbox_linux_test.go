package sandbox

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDeny denies fchmod, and open with one flag, in a child process.
func TestDeny(t *testing.T) {
	if os.Getenv("SANDBOX_TEST") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDeny$")
		cmd.Env = append(os.Environ(), "SANDBOX_TEST=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	name := t.TempDir() + "/file"
	for _, c := range []struct {
		call  Call
		errno unix.Errno
	}{
		{Call{Number: unix.SYS_FCHMOD}, unix.ENOSYS},
		{Call{Number: unix.SYS_OPENAT, Arg: 2, Flags: unix.O_APPEND}, unix.EXDEV},
	} {
		if err := Deny(c.call, c.errno); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error) // another thread, most likely
	go func() {
		_, err := unix.Open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_APPEND, 0o600)
		done <- err
	}()
	if err := <-done; err != unix.EXDEV {
		t.Errorf("open with O_APPEND: %v, want EXDEV", err)
	}
	fd, err := unix.Open(name, unix.O_WRONLY|unix.O_CREAT, 0o600)
	if err != nil {
		t.Fatalf("open without O_APPEND: %v", err)
	}
	if err := unix.Fchmod(fd, 0o600); err != unix.ENOSYS {
		t.Errorf("fchmod: %v, want ENOSYS", err)
	}
}
