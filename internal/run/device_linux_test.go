package run

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/options"
	"golang.org/x/sys/unix"
)

// TestMinifyDeviceIntoItself: a block device is not its own output, by its node or by another one.
func TestMinifyDeviceIntoItself(t *testing.T) {
	content := append([]byte("[ 1, 2 ]"), bytes.Repeat([]byte(" "), 1<<20-8)...)
	backing := write(t, content)
	out, err := exec.Command("losetup", "--find", "--show", backing).CombinedOutput()
	if err != nil {
		t.Skipf("no loop device: %v: %s", err, out)
	}
	device := strings.TrimSpace(string(out))
	t.Cleanup(func() {
		if out, err := exec.Command("losetup", "--detach", device).CombinedOutput(); err != nil {
			t.Errorf("detach %s: %v: %s", device, err, out)
		}
	})
	var stat unix.Stat_t
	node := filepath.Join(t.TempDir(), "node")
	if err := unix.Stat(device, &stat); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mknod(node, unix.S_IFBLK|0o600, int(stat.Rdev)); err != nil {
		t.Skip(err)
	}
	for _, to := range []string{device, node} {
		f, err := os.OpenFile(to, os.O_RDWR, 0)
		if err != nil {
			t.Skip(err) // a file system without devices
		}
		if _, err := Minify(context.Background(), open(t, device), f, options.Minify{}, Options{}); !errors.Is(err, failure.ErrSameFile) {
			t.Errorf("to %s: %v", to, err)
		}
		f.Close()
	}
	if now, err := os.ReadFile(backing); err != nil || !bytes.Equal(now, content) {
		t.Errorf("the device holds something else now: %.20q, %v", now, err)
	}
}
