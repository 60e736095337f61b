package docroot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// childEnv names the job of a child process: limits and users belong to processes.
const childEnv, childDirEnv = "SITE_TEST_CHILD", "SITE_TEST_DIR"

func TestMain(m *testing.M) {
	if job := os.Getenv(childEnv); job != "" {
		if err := jobs[job](os.Getenv(childDirEnv)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

var jobs = map[string]func(dir string) error{"ordinary user": asOrdinaryUser, "few descriptors": withFewDescriptors}

func inChild(t *testing.T, job, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+job, childDirEnv+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", job, err, out)
	}
}

// differences lists the answers that differ from the expected ones.
func differences(s *Root, want map[string]string) error {
	var all []error
	for path, want := range want {
		if got := answer(s, path); got != want {
			all = append(all, fmt.Errorf("%s: %s, want %s", path, got, want))
		}
	}
	return errors.Join(all...)
}

// TestPermissions runs as an ordinary user: root may open everything.
func TestPermissions(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.txt", "A", "a.txt.gz", "Z", "secret", "S", "closed/x", "X", "search/x", "X", "read/x", "X",
		"veiled/index.html", "I", "veiled/x", "X")
	for name, mode := range map[string]fs.FileMode{"a.txt.gz": 0o600, "secret": 0, "closed": 0, "search": 0o111, "read": 0o444,
		"veiled/index.html": 0} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(filepath.Join(dir, name), 0o700)
	}
	if os.Geteuid() != 0 {
		if err := os.Chmod(filepath.Join(dir, "a.txt.gz"), 0); err != nil {
			t.Fatal(err)
		}
	}
	inChild(t, "ordinary user", dir)
}

func asOrdinaryUser(dir string) error {
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	single := filepath.Join(dir, "secret")
	if os.Geteuid() == 0 {
		const nobody = 65534
		if err := errors.Join(os.Chdir(dir), syscall.Setgroups(nil), syscall.Setresgid(nobody, nobody, nobody),
			syscall.Setresuid(nobody, nobody, nobody)); err != nil {
			return err
		}
		single = "secret"
	}
	err = differences(s, map[string]string{"/": "folder /", "/a.txt": "file a.txt = A", "/secret": "forbidden",
		"/closed": "-> /closed/", "/closed/": "forbidden", "/closed/x": "forbidden", "/closed/nothing": "forbidden",
		"/search/x": "forbidden", "/read/x": "forbidden", "/veiled/": "forbidden", "/veiled/x": "file x = X"})
	if err != nil {
		return err
	}
	listing, err := s.List("/")
	if err != nil {
		return err
	}
	var names []string
	for _, i := range listing.Items {
		names = append(names, i.Name)
	}
	if got := strings.Join(names, " "); got != "veiled a.txt" {
		return fmt.Errorf("listed %s", got)
	}
	if _, err := s.List("/closed/"); !errors.Is(err, ErrForbidden) {
		return fmt.Errorf("list of closed: %w", err)
	}
	e, err := s.Lookup("/a.txt")
	if err != nil {
		return err
	}
	defer e.Release()
	if _, err := e.Variant("gzip"); !errors.Is(err, ErrForbidden) {
		return fmt.Errorf("an unreadable sidecar file: %w", err)
	}
	if _, err := Open(single, Options{}); !errors.Is(err, ErrForbidden) {
		return fmt.Errorf("an unreadable single file: %w", err)
	}
	return nil
}

func TestFewDescriptors(t *testing.T) {
	dir := t.TempDir()
	for i := range 40 {
		write(t, dir, fmt.Sprintf("sub/deep/%d", i), "X")
	}
	inChild(t, "few descriptors", dir)
}

func withFewDescriptors(dir string) error {
	const limit = 48
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	s, err := Open(dir, Options{OpenFiles: 1000})
	if err != nil {
		return err
	}
	defer s.Close()
	if s.cache.filesMax != limit/descriptorShare {
		return fmt.Errorf("the cache takes %d of %d descriptors", s.cache.filesMax, limit)
	}
	held, err := s.Lookup("/sub/deep/39")
	if err != nil {
		return err
	}
	for i := range 9 {
		if got := answer(s, fmt.Sprintf("/sub/deep/%d", i)); !strings.HasPrefix(got, "file") {
			return errors.New(got)
		}
	}
	var others []*os.File
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		others = append(others, f)
	}
	// The cache closes files without another holder.
	var entries []*Entry
	for i := 10; ; i++ {
		e, err := s.Lookup(fmt.Sprintf("/sub/deep/%d", i))
		if err == nil {
			entries = append(entries, e)
			continue
		}
		if !errors.Is(err, syscall.EMFILE) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrForbidden) {
			return fmt.Errorf("with no descriptor left: %w", err)
		}
		break
	}
	if len(entries) < 5 {
		return fmt.Errorf("with a cache of 10 files only %d more could be opened", len(entries))
	}
	if _, err := s.List("/sub/deep/"); !errors.Is(err, syscall.EMFILE) {
		return fmt.Errorf("list with no descriptor left: %w", err)
	}
	// Others free descriptors, or say so.
	asked := 0
	s.free = func() bool { asked++; return true }
	if _, err := s.Lookup("/sub/deep/30"); !errors.Is(err, syscall.EMFILE) || asked != askedMax {
		return fmt.Errorf("others who free nothing are asked %d times: %w", asked, err)
	}
	s.free = func() bool {
		for range 4 {
			others[0].Close()
			others = others[1:]
		}
		return true
	}
	e, err := s.Lookup("/sub/deep/30")
	if err != nil {
		return fmt.Errorf("when others free descriptors: %w", err)
	}
	entries = append(entries, e)
	if text, err := content(held.Plain); text != "X" || err != nil {
		return fmt.Errorf("a held file reads %q: %w", text, err)
	}
	for _, f := range others {
		f.Close()
	}
	release(entries)
	held.Release()
	return differences(s, map[string]string{"/sub/deep/20": "file 20 = X"})
}

// TestBlockDevice serves the first readable disk.
func TestBlockDevice(t *testing.T) {
	leaveNothingOpen(t)
	disks, err := filepath.Glob("/sys/class/block/*/size")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range disks {
		text, err := os.ReadFile(file)
		sectors := strings.TrimSpace(string(text))
		name := filepath.Base(filepath.Dir(file))
		if err != nil || sectors == "0" {
			continue
		}
		s, err := Open(filepath.Join("/dev", name), Options{Revalidate: always})
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		for _, path := range []string{"/", "/" + name, "/"} {
			e := lookup(t, s, path)
			if d := e.Plain; fmt.Sprint(d.Size/512) != sectors || d.ETag != "" || !d.Modified.IsZero() || e.Name != name {
				t.Errorf("%s of %s sectors: %+v", name, sectors, d)
			}
			e.Release()
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		return
	}
	t.Skip("there is no block device that may be read")
}

// TestTimePutBack changes a file and resets its modification time. Only the inode's change time
// shows the change.
func TestTimePutBack(t *testing.T) {
	leaveNothingOpen(t)
	dir := t.TempDir()
	write(t, dir, "f", "A")
	s := serve(t, dir, Options{Revalidate: always})
	held := lookup(t, s, "/f")
	defer held.Release()
	deadline := time.Now().Add(10 * time.Second)
	for changeTime(held.info) == changeTime(must(s.stat("f"))) { // the clock of the file system may tick slowly
		if time.Now().After(deadline) {
			t.Fatal("for 10 s no change of a file was given a new time")
		}
		write(t, dir, "f", "B")
	}
	e := lookup(t, s, "/f")
	defer e.Release()
	if e == held {
		t.Error("a changed file with a reset time is not opened again")
	}
}

// TestFlippedNames swaps names as fast as possible between files that may be served and others,
// while they are looked up.
func TestFlippedNames(t *testing.T) {
	for _, validate := range []time.Duration{always, 2 * time.Millisecond} {
		t.Run(validate.String(), func(t *testing.T) { flipNames(t, validate) })
	}
}

func flipNames(t *testing.T, validate time.Duration) {
	leaveNothingOpen(t)
	dir, outside, store := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, outside, "f", "SECRET", "sub/f", "SECRET")
	write(t, dir, "real/f", "INSIDE", "real/sub/f", "INSIDE")
	link(t, store, "real", "inside")
	link(t, store, outside, "outside")
	link(t, store, filepath.Join(dir, "real"), "absolute")
	link(t, store, filepath.Join(dir, "flip", "..", "real", "..", "..", filepath.Base(outside)), "parent")
	if err := syscall.Mkfifo(filepath.Join(store, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir, Options{Revalidate: validate})

	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		flip := filepath.Join(dir, "flip")
		for i := 0; ; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			// The name always exists: rename replaces it.
			from := filepath.Join(store, []string{"inside", "outside", "absolute", "fifo", "absolute", "parent"}[i%6])
			next := filepath.Join(store, "next")
			if err := errors.Join(os.Link(from, next), os.Rename(next, flip)); err != nil {
				stopped <- err
				return
			}
		}
	}()
	var inside, refused atomic.Int64
	deadline := time.Now().Add(20 * time.Second)
	for i := 0; i < 3000 || inside.Load() == 0 || refused.Load() == 0; i++ {
		if time.Now().After(deadline) {
			t.Fatalf("in 20 s %d lookups, %d refused, %d not", i, refused.Load(), inside.Load())
		}
		switch got := answer(s, []string{"/flip/f", "/flip/sub/f", "/flip"}[i%3]); got {
		case "file f = INSIDE":
			inside.Add(1)
		case "forbidden":
			refused.Add(1)
		case "-> /flip/", "not found":
		default:
			t.Fatal(got)
		}
		if _, err := s.List("/flip/sub/"); err != nil && !errors.Is(err, ErrForbidden) && !errors.Is(err, ErrNotFound) {
			t.Fatal(err)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
}

func TestLookupOfSpecialFiles(t *testing.T) {
	leaveNothingOpen(t)
	dir := t.TempDir()
	for name, mode := range map[string]uint32{"fifo": syscall.S_IFIFO, "socket": syscall.S_IFSOCK,
		"null": syscall.S_IFCHR, "disk.img": syscall.S_IFBLK, "index.html": syscall.S_IFIFO} {
		dev := 0
		if mode == syscall.S_IFCHR {
			dev = 1<<8 | 3
		}
		err := syscall.Mknod(filepath.Join(dir, name), mode|0o644, dev)
		if errors.Is(err, fs.ErrPermission) {
			t.Skipf("cannot make %s: %v (needs root)", name, err)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "sub/real", "R")
	link(t, dir, "fifo", "to-fifo")
	link(t, dir, "/dev/zero", "zero")
	s := serve(t, dir, Options{})
	for _, path := range []string{"/fifo", "/fifo/", "/socket", "/null", "/null/", "/disk.img", "/to-fifo", "/zero", "/"} {
		if got := answer(s, path); got != "forbidden" {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := answer(s, "/fifo/x"); got != "not found" {
		t.Errorf("/fifo/x: %s", got)
	}
	listing, err := s.List("/")
	if err != nil || len(listing.Items) != 1 || listing.Items[0].Name != "sub" {
		t.Errorf("listed %v, %v", listing, err)
	}
	for _, name := range []string{"fifo", "socket", "null", "to-fifo"} {
		if s, err := Open(filepath.Join(dir, name), Options{}); err == nil {
			t.Errorf("%s can be served: %v", name, s.Close())
		}
	}
}
