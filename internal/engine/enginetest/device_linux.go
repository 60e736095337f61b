package enginetest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// BrokenDevice scans a block device whose second half cannot be read: a loop device whose backing
// file was truncated. It skips the test if the user may not create loop devices.
func BrokenDevice(t *testing.T, open Open, traits Traits) {
	const size, good = 4 << 20, 2 << 20
	content := Content(size)
	backing := filepath.Join(t.TempDir(), "backing")
	if err := os.WriteFile(backing, content, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("losetup", "--find", "--show", backing).CombinedOutput()
	if err != nil {
		t.Skipf("no loop device: %v: %s", err, out)
	}
	name := strings.TrimSpace(string(out))
	t.Cleanup(func() {
		if out, err := exec.Command("losetup", "--detach", name).CombinedOutput(); err != nil {
			t.Errorf("detach %s: %v: %s", name, err, out)
		}
	})
	if err := os.Truncate(backing, good); err != nil {
		t.Fatal(err)
	}
	f := openFile(t, name)
	if err := unix.Fadvise(f.FD(), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	s := suite{open, traits}
	const pieceBytes = 600_000
	// Context is cut at the first byte that cannot be read.
	check := &checker{want: content, shrunk: 1}
	s.scan(t, f, s.config(pieceBytes, 100), Pieces(0, size, pieceBytes), 1, check)
	lost := int64(0)
	for _, u := range check.unread {
		if u.Off < good || !errors.Is(u.Err, unix.EIO) {
			t.Errorf("unread: %v", &u)
		}
		lost += u.Len
	}
	if lost != size-good {
		t.Errorf("%d bytes reported as unread, want %d", lost, size-good)
	}
}
