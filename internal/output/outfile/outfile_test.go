package outfile

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// left returns the names in a folder.
func left(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func content(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func create(t *testing.T, name, text string) *File {
	t.Helper()
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFileAppearsWhenComplete(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "answer.csv")
	f := create(t, name, "new")
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is there before it is complete: %v", err)
	}
	if err := f.Commit(true); err != nil {
		t.Fatal(err)
	}
	if err := f.Abort(); err != nil {
		t.Errorf("abort behind commit: %v", err)
	}
	if f.Commit(true) == nil {
		t.Error("a second commit says nothing")
	}
	if got := content(t, name); got != "new" || left(t, folder) != "answer.csv" {
		t.Errorf("%q in %s", got, left(t, folder))
	}
	f = create(t, name, "newer")
	if got := content(t, name); got != "new" {
		t.Errorf("changed before it is complete: %q", got)
	}
	if err := f.Abort(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, name); got != "new" || left(t, folder) != "answer.csv" {
		t.Errorf("after abort: %q in %s", got, left(t, folder))
	}
}

func TestFileKeepsModeAndLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and links are others there")
	}
	folder := t.TempDir()
	name, link := filepath.Join(folder, "real"), filepath.Join(folder, "link")
	if err := os.WriteFile(name, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(name, 0o646), os.Symlink("real", link)); err != nil {
		t.Fatal(err)
	}
	if err := create(t, link, "new").Commit(true); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(name)
	if err != nil || info.Mode() != 0o646 || content(t, name) != "new" {
		t.Errorf("%v %v %q", info.Mode(), err, content(t, name))
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v %v", info, err)
	}
	if left(t, folder) != "link real" {
		t.Error(left(t, folder))
	}
}

func TestCreateRefuses(t *testing.T) {
	folder := t.TempDir()
	dangling := filepath.Join(folder, "dangling")
	if err := os.Symlink("nowhere", dangling); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]string{"": "no name", folder: "is a folder", dangling: "link to a file that does not exist",
		filepath.Join(folder, "none", "x.csv"): "no such file", filepath.Join(folder, "none") + "/": "no such file"} {
		f, err := Create(name)
		if err == nil || f != nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), ".thresh") {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	if left(t, folder) != "dangling" {
		t.Error(left(t, folder))
	}
}

// TestFullDisk writes to a device that is always full; then to a file whose descriptor fails.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	f, err := Create("/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	_, werr := f.Write([]byte("x"))
	cerr := f.Commit(true)
	for _, err := range []error{werr, cerr} {
		if err == nil || err.Error() != "write /dev/full: no space left on device" {
			t.Errorf("%v", err)
		}
	}

	folder := t.TempDir()
	name := filepath.Join(folder, "answer")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f = create(t, name, "new")
	f.f.Close()
	f.f = full
	if _, err := f.Write([]byte("x")); err == nil || err.Error() != "write "+name+": no space left on device" {
		t.Errorf("%v", err)
	}
	if f.f, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("y")); err == nil {
		t.Error("wrote behind what was not written")
	}
	if err := f.Commit(true); err == nil {
		t.Error("committed what was not written")
	}
	if err := full.Close(); err != nil {
		t.Fatal(err)
	}
	if content(t, name) != "old" || left(t, folder) != "answer" {
		t.Errorf("%q in %s", content(t, name), left(t, folder))
	}
}

// TestCloseFails closes the descriptor first: then no file appears.
func TestCloseFails(t *testing.T) {
	folder := t.TempDir()
	f := create(t, filepath.Join(folder, "answer"), "x")
	f.f.Close()
	if err := f.Commit(true); err == nil || left(t, folder) != "" {
		t.Errorf("%v, left %q", err, left(t, folder))
	}
}

// TestCreateWhatIsNoFile writes to a FIFO and to standard output, redirected to append.
func TestCreateWhatIsNoFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs mkfifo and /dev/stdout")
	}
	if os.Getenv("OUTFILE_TEST_STDOUT") != "" {
		create(t, "/dev/stdout", "more").Commit(true)
		os.Exit(0)
	}
	folder := t.TempDir()
	fifo := filepath.Join(folder, "fifo")
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v %s", err, out)
	}
	got := make(chan string)
	go func() {
		text, _ := os.ReadFile(fifo)
		got <- string(text)
	}()
	f := create(t, fifo, "through")
	if err := f.Commit(true); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "through" || left(t, folder) != "fifo" {
		t.Errorf("%q, left %s", text, left(t, folder))
	}

	name := filepath.Join(folder, "log")
	if err := os.WriteFile(name, []byte("first, "), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(os.Args[0], "-test.run=^TestCreateWhatIsNoFile$")
	cmd.Env = append(os.Environ(), "OUTFILE_TEST_STDOUT=1")
	cmd.Stdout = log
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if text := content(t, name); text != "first, more" {
		t.Errorf("%q", text)
	}
}
