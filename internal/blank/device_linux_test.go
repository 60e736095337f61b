package blank

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/input/identity"
)

// loopDevice returns a loop device of a file. It skips the test if the user may not create one.
func loopDevice(t *testing.T, name string, sector int) string {
	t.Helper()
	out, err := exec.Command("losetup", "--find", "--show", "--sector-size", fmt.Sprint(sector), name).Output()
	if err != nil {
		t.Skipf("no loop device with sectors of %d bytes: %v", sector, err)
	}
	device := strings.TrimSpace(string(out))
	t.Cleanup(func() {
		if out, err := exec.Command("losetup", "--detach", device).CombinedOutput(); err != nil {
			t.Errorf("detach %s: %v: %s", device, err, out)
		}
	})
	return device
}

// TestDevice reads loop devices with sectors of both sizes: ranges are in whole sectors.
func TestDevice(t *testing.T) {
	for _, sector := range []int64{512, 4096} {
		t.Run(fmt.Sprint(sector), func(t *testing.T) {
			b := make([]byte, 5<<20)
			b[4095], b[4096], b[3<<20] = 1, 1, 1
			backing := write(t, b)
			device := loopDevice(t, backing, int(sector))
			in, err := Open(device, nil, Options{Pattern: Zero, Limit: 9})
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			id := in.Identity
			if in.How != HowDirect || in.SectorBytes != sector || id.BackingFile != backing || int64(id.LogicalSector) != sector ||
				"/dev/"+id.Node != device || id.Bytes != 5<<20 || id.InUse {
				t.Errorf("%s, %+v", in.How, id)
			}
			if again, _ := identity.Claim(device); again {
				t.Error("while it is read, the device can be claimed by others")
			}
			s, err := in.Check(context.Background(), NewProgress(in.Start(), 9), false)
			if want := plain(b, Zero, 0, 5<<20, sector, 9); err != nil || text(t, s) != text(t, want) {
				t.Errorf("%v %+v, want %+v", err, text(t, s), text(t, want))
			}
			if changed, err := in.Changed(); err != nil || changed != "" {
				t.Errorf("%q %v", changed, err)
			}
		})
	}
}

// TestBrokenDevice: the part of a device that cannot be read is named, and what is behind it is read.
func TestBrokenDevice(t *testing.T) {
	backing := write(t, make([]byte, 4<<20))
	device := loopDevice(t, backing, 512)
	if err := os.Truncate(backing, 1<<20+1024); err != nil {
		t.Fatal(err)
	}
	flush(t, device)
	s := checked(t, device, Options{Pattern: Zero, Limit: 9})
	if s.Unread.Count != 1 || s.Read+s.Unread.Bytes != 4<<20 || s.Unread.List[0].Off != 1<<20+1024 || s.Unread.List[0].Why != unix.EIO.Error() {
		t.Errorf("%+v", s)
	}
	empty := loopDevice(t, write(t, nil), 512)
	if _, err := Open(empty, nil, Options{Pattern: Zero, Limit: 1}); err == nil || !strings.Contains(err.Error(), "0 bytes") {
		t.Errorf("a device without a medium: %v", err)
	}
}

// flush drops what the page cache has of a device.
func flush(t *testing.T, device string) {
	t.Helper()
	f, err := os.Open(device)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
}

// TestMappedErrors reads a device of the device mapper with bad sectors in its middle, where the machine has
// one: each is named by itself.
func TestMappedErrors(t *testing.T) {
	device := loopDevice(t, write(t, make([]byte, 4<<20)), 512)
	name := fmt.Sprintf("thresh-test-%d", os.Getpid())
	table := fmt.Sprintf("0 2049 linear %[1]s 0\n2049 1 error\n2050 3000 linear %[1]s 2050\n5050 3 error\n5053 3139 linear %[1]s 5053\n", device)
	create := exec.Command("dmsetup", "create", name)
	create.Stdin = strings.NewReader(table)
	if out, err := create.CombinedOutput(); err != nil {
		t.Skipf("no device mapper: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("dmsetup", "remove", name).CombinedOutput(); err != nil {
			t.Errorf("remove %s: %v: %s", name, err, out)
		}
	})
	s := checked(t, filepath.Join("/dev/mapper", name), Options{Pattern: Zero, Limit: 9})
	var spans [][2]int64
	for _, u := range s.Unread.List {
		spans = append(spans, [2]int64{u.Off / 512, u.Len / 512})
	}
	if !slices.Equal(spans, [][2]int64{{2049, 1}, {5050, 3}}) || s.Read != 4<<20-4*512 {
		t.Errorf("unread sectors %v, read %d", spans, s.Read)
	}
}
