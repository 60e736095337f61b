package thresh_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/options"
)

// TestCompareHoles compares sparse images with differences planted in data, in holes of one and around their borders, past
// the page cache and through it, by every engine.
func TestCompareHoles(t *testing.T) {
	const block, blocks = 64 << 10, 64
	random := rand.New(rand.NewPCG(7, 38))
	for round := range 40 {
		var contents [2][]byte
		var names [2]string
		for i := range contents {
			contents[i] = make([]byte, block*blocks)
			names[i] = filepath.Join(t.TempDir(), "image")
			f := must(os.Create(names[i]))
			if err := f.Truncate(block * blocks); err != nil {
				t.Fatal(err)
			}
			for b := range blocks {
				if (b/8+i*round)%3 == 0 {
					continue // a hole
				}
				data := contents[i][b*block:][:block]
				if random.IntN(3) == 0 {
					at := []int{0, 1, block - 1, random.IntN(block)}[random.IntN(4)]
					data[at] = 1
				}
				if _, err := f.WriteAt(data, int64(b*block)); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for _, o := range []options.Compare{{}, {Past: true}, {First: true}, {Run: options.Run{Cache: "neutral"}}, {Run: options.Run{Engine: "mmap"}},
			{Run: options.Run{Engine: "pread", Workers: 3}}, {Run: options.Run{Engine: "uring"}}, {Run: options.Run{Engine: "stream"}},
			{Offset: 100_000, Other: 30_000}, {BlockBytes: 4096}} {
			x, y := must(thresh.Open(names[0], thresh.Raw)), must(thresh.Open(names[1], thresh.Raw))
			if o.Engine == "uring" {
				if _, err := thresh.ExplainCompare(x, y, o); err != nil {
					continue // the kernel, or the file system, does not allow it
				}
			}
			compareBoth(t, fmt.Sprintf("round %d: %+v", round, o), x, y, contents[0], contents[1], o)
			x.Close()
			y.Close()
		}
	}
}

// TestCompareHolesUnread: nothing is read where both files are holes, and only one where one is.
func TestCompareHolesUnread(t *testing.T) {
	const size = 1 << 40 // reading it would take minutes
	var inputs [2]*thresh.Input
	for i := range inputs {
		name := filepath.Join(t.TempDir(), "image")
		f := must(os.Create(name))
		if err := f.Truncate(size); err != nil {
			t.Skip(err)
		}
		must(f.WriteAt([]byte{byte(1 + i)}, size/2+int64(i)<<20))
		f.Close()
		inputs[i] = must(thresh.Open(name, thresh.Raw))
		defer inputs[i].Close()
	}
	var ranges []answer.Hit
	got, err := thresh.Compare(t.Context(), inputs[0], inputs[1], options.Compare{}, func(hits []answer.Hit) error {
		ranges = append(ranges, hits...)
		return nil
	})
	want := []answer.Hit{{Off: size / 2, Len: 1}, {Off: size/2 + 1<<20, Len: 1}}
	if err != nil || !slices.Equal(ranges, want) || got.Skipped < size-(64<<20) {
		t.Fatalf("%v, %+v, %v", ranges, got, err)
	}
}

// TestCompareDevices compares two loop devices, one larger, with differences planted in the first and last sector and across
// a border of pieces; and the content of a device with a file, a pipe and a compressed file: all from the device.
func TestCompareDevices(t *testing.T) {
	const size = 5 << 20
	a := make([]byte, size)
	for i := range a {
		a[i] = byte(i * i >> 8)
	}
	b := append(slices.Clone(a), make([]byte, 1<<20)...)
	for _, at := range []int{0, 1<<20 - 1, 1 << 20, size - 1} {
		b[at] ^= 1
	}
	folder := t.TempDir()
	var devices [2]string
	for i, content := range [][]byte{a, b} {
		name := filepath.Join(folder, []string{"a", "b"}[i])
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("losetup", "--find", "--show", name).Output()
		if err != nil {
			t.Skipf("no loop device: %v", err)
		}
		devices[i] = strings.TrimSpace(string(out))
		defer exec.Command("losetup", "--detach", devices[i]).Run()
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	must(w.Write(a))
	w.Close()
	if err := os.WriteFile(filepath.Join(folder, "a.gz"), packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, open := range map[string]func() (*thresh.Input, error){
		"device": func() (*thresh.Input, error) { return thresh.Open(devices[0]) },
		"file":   func() (*thresh.Input, error) { return thresh.Open(filepath.Join(folder, "a")) },
		"gzip":   func() (*thresh.Input, error) { return thresh.Open(filepath.Join(folder, "a.gz")) },
		"pipe":   func() (*thresh.Input, error) { return thresh.FromReader("a", bytes.NewReader(a)) },
	} {
		for swapped := range 2 {
			x, y := must(open()), must(thresh.Open(devices[1]))
			one, other, device := a, b, 1
			if swapped == 1 {
				x, y, one, other, device = y, x, b, a, 0
			}
			compareBoth(t, what, x, y, one, other, options.Compare{})
			x.Close()
			y.Close()
			x, y = must(open()), must(thresh.Open(devices[1]))
			if swapped == 1 {
				x, y = y, x
			}
			got, err := thresh.Compare(t.Context(), x, y, options.Compare{}, func([]answer.Hit) error { return nil })
			if err != nil || !got.Direct[device] {
				t.Errorf("%s, swapped %d: %v, from the device: %v", what, swapped, err, got.Direct)
			}
			x.Close()
			y.Close()
		}
	}
}
