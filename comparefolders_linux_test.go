package thresh_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/options"
)

// deepTree makes folders in folders whose path is longer than the system takes, with a file at each tenth level.
func deepTree(t *testing.T, top string, levels int, content string) {
	t.Helper()
	at, err := unix.Open(top, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for level := range levels {
		if level%10 == 0 {
			fd, err := unix.Openat(at, "z", unix.O_WRONLY|unix.O_CREAT, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			_, err = unix.Write(fd, []byte(content[:1+level%len(content)]))
			if err := errors.Join(err, unix.Close(fd)); err != nil {
				t.Fatal(err)
			}
		}
		if err := unix.Mkdirat(at, "deeper", 0o700); err != nil {
			t.Fatal(err)
		}
		inner, err := unix.Openat(at, "deeper", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err := errors.Join(err, unix.Close(at)); err != nil {
			t.Fatal(err)
		}
		at = inner
	}
	if err := unix.Close(at); err != nil {
		t.Fatal(err)
	}
}

// A tree that is deeper than a process may have open files, and whose paths are longer than the system takes.
func TestCompareDeepFolders(t *testing.T) {
	const levels = 1000
	a, b := t.TempDir(), t.TempDir()
	deepTree(t, a, levels, "0123456789a")
	deepTree(t, b, levels, "0123456789b") // differs at each level that is 10 modulo 11
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	fewer := limit
	fewer.Cur = 400
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &fewer); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)
	var want []string
	for level := (levels - 1) / 10 * 10; level >= 0; level -= 10 { // the way back: z comes after deeper
		if level%11 == 10 {
			want = append(want, "C "+strings.Repeat("deeper/", level)+"z")
		}
	}
	for round := range 2 {
		before := openFiles(t)
		got, c := folderLines(t, a, b, options.CompareFolders{})
		if !slices.Equal(got, want) || !c.Complete || c.Folders != levels || c.Files != levels/10 {
			t.Fatalf("%d differences, want %d, %+v", len(got), len(want), c)
		}
		if after := openFiles(t); after != before && round > 0 { // the runtime opens some of its own at first
			t.Fatalf("%d files are open, %d were before", after, before)
		}
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// FIFOs, sockets and devices are compared by what they are. An ordinary open of a FIFO would wait forever.
func TestCompareSpecialFiles(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	make := func(folder, name string, mode, device uint32) {
		err := unix.Mknod(filepath.Join(folder, name), mode|0o600, int(device))
		if errors.Is(err, unix.EPERM) && mode == unix.S_IFCHR {
			t.Skip("devices cannot be made here")
		} else if err != nil {
			t.Fatal(err)
		}
	}
	make(a, "fifo", unix.S_IFIFO, 0)
	make(b, "fifo", unix.S_IFIFO, 0)
	make(a, "fifo or socket", unix.S_IFIFO, 0)
	make(b, "fifo or socket", unix.S_IFSOCK, 0)
	make(a, "file or fifo", unix.S_IFREG, 0)
	make(b, "file or fifo", unix.S_IFIFO, 0)
	want := []string{"T fifo or socket", "T file or fifo"}
	if got, c := folderLines(t, a, b, options.CompareFolders{}); !slices.Equal(got, want) || !c.Complete || c.Files != 3 {
		t.Errorf("got %q, want %q, %+v", got, want, c)
	}
	make(a, "device", unix.S_IFCHR, uint32(unix.Mkdev(1, 3)))
	make(b, "device", unix.S_IFCHR, uint32(unix.Mkdev(1, 3)))
	make(a, "devices", unix.S_IFCHR, uint32(unix.Mkdev(1, 3)))
	make(b, "devices", unix.S_IFCHR, uint32(unix.Mkdev(1, 5)))
	want = slices.Concat([]string{"T devices"}, want)
	if got, c := folderLines(t, a, b, options.CompareFolders{}); !slices.Equal(got, want) || !c.Complete || c.Files != 5 {
		t.Errorf("with devices: got %q, want %q, %+v", got, want, c)
	}
}

// Two names of one file, also across the folders, are compared once or not at all. Files of the kernel claim to be
// empty and are not.
func TestCompareLinkedFolders(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	content := []byte(strings.Repeat("x", 100_000))
	for i, folder := range []string{a, b} {
		content[50_000] = byte(i)
		if err := os.WriteFile(filepath.Join(folder, "1"), content, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"2", "3"} {
			if err := os.Link(filepath.Join(folder, "1"), filepath.Join(folder, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"4", "5"} {
		if err := os.Link(filepath.Join(a, "1"), filepath.Join(b, name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(filepath.Join(a, "1"), filepath.Join(a, name)); err != nil {
			t.Fatal(err)
		}
	}
	got, c := folderLines(t, a, b, options.CompareFolders{Run: options.Run{Workers: 1}})
	if want := []string{"C 1", "C 2", "C 3"}; !slices.Equal(got, want) || c.Bytes > 100_000 || c.Skipped != 400_000 {
		t.Errorf("got %q, want %q, %+v", got, want, c)
	}
	if got, c := folderLines(t, "/proc/sys/net", "/proc/sys/net", options.CompareFolders{}); got != nil || !c.Equal {
		t.Errorf("files of the kernel: %q, %+v", got, c)
	}
}

// Names that come, go and change meanwhile never hide a difference that stays, or make one of what stays equal.
func TestCompareMovingFolders(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for i, folder := range []string{a, b} {
		for _, sub := range []string{"0", "5", "9"} {
			inner := filepath.Join(folder, sub, "stays")
			if err := os.MkdirAll(inner, 0o700); err != nil {
				t.Fatal(err)
			}
			for name, content := range map[string]string{"equal": "same", "differs": string(rune('a' + i))} {
				if err := os.WriteFile(filepath.Join(inner, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	before := openFiles(t)
	wg.Go(func() { moveAbout(stop, a, b) })
	for range 300 {
		var stays []string
		_, err := thresh.CompareFolders(t.Context(), a, b, options.CompareFolders{Mode: true},
			func(found []answer.FolderDifference) error {
				for _, d := range found {
					if strings.Contains(d.Path, "stays") {
						stays = append(stays, string(rune(d.Kind))+" "+d.Path)
					}
				}
				return nil
			})
		want := []string{"C 0/stays/differs", "C 5/stays/differs", "C 9/stays/differs"}
		if err != nil || !slices.Equal(stays, want) {
			t.Errorf("got %q, %v, want %q", stays, err, want)
			break
		}
	}
	close(stop)
	wg.Wait()
	if after := openFiles(t); after != before {
		t.Errorf("%d files are open, %d were before", after, before)
	}
}

// moveAbout makes and removes names of all kinds in both folders. Errors are of names that are not there, or are.
func moveAbout(stop chan struct{}, folders ...string) {
	random := rand.New(rand.NewPCG(1, 2))
	for {
		select {
		case <-stop:
			return
		default:
		}
		sub := filepath.Join(folders[random.IntN(2)], []string{"0", "5", "9"}[random.IntN(3)])
		path := filepath.Join(sub, []string{"a", "t", "zz"}[random.IntN(3)])
		switch random.IntN(8) {
		case 0:
			// With O_NONBLOCK, opening a FIFO fails at once.
			if f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|unix.O_NONBLOCK, 0o600); err == nil {
				_, _ = f.Write(make([]byte, random.IntN(9000)))
				_ = f.Close()
			}
		case 1:
			_ = os.Symlink("nowhere", path)
		case 2:
			_ = unix.Mkfifo(path, 0o600)
		case 3:
			_ = os.MkdirAll(filepath.Join(path, "in", "it"), 0o700)
		case 4:
			_ = os.Truncate(path, int64(random.IntN(9000)))
		case 5:
			_ = os.Chmod(path, fs.FileMode(random.IntN(0o1000)))
		default:
			_ = os.RemoveAll(path)
		}
	}
}

// A file of the kernel that says that it is empty, and cannot be read, is not equal to another one.
func TestCompareUnreadableFilesOfTheKernel(t *testing.T) {
	var inputs [2]*thresh.Input
	for i, name := range []string{"/proc/self/mem", "/proc/thread-self/mem"} { // at 0 nothing is mapped
		in, err := thresh.Open(name)
		if err != nil {
			t.Skip(err)
		}
		defer in.Close()
		inputs[i] = in
	}
	c, err := thresh.Compare(t.Context(), inputs[0], inputs[1], options.Compare{}, func([]answer.Hit) error { return nil })
	if err != nil || c.Equal || c.Complete || len(c.Unread) == 0 {
		t.Errorf("%+v, %v", c, err)
	}
}
