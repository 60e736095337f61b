package outfile

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/test/sandbox"
)

var calls = map[string]sandbox.Call{
	"fsync":   {Number: unix.SYS_FSYNC},
	"linkat":  {Number: unix.SYS_LINKAT},
	"rename":  {Number: unix.SYS_RENAMEAT},
	"close":   {Number: unix.SYS_CLOSE},
	"chmod":   {Number: unix.SYS_FCHMOD},
	"chown":   {Number: unix.SYS_FCHOWN},
	"unnamed": {Number: unix.SYS_OPENAT, Arg: 2, Flags: unix.O_TMPFILE &^ unix.O_DIRECTORY},
	"open":    {Number: unix.SYS_OPENAT, Arg: 2, Flags: unix.O_WRONLY},
	"create":  {Number: unix.SYS_OPENAT, Arg: 2, Flags: unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY},
}

// again runs a test once more in a process of its own, without a system call, and returns what
// it printed. The last argument is the name of a file.
func again(t *testing.T, call string, errno unix.Errno, name string) string {
	t.Helper()
	test, _, _ := strings.Cut(t.Name(), "/")
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$", name)
	cmd.Env = append(os.Environ(), "OUTFILE_TEST_DENIED="+call, fmt.Sprintf("OUTFILE_TEST_ERRNO=%d", int(errno)))
	out, err := cmd.CombinedOutput()
	t.Logf("without %s: %v\n%s", call, err, out)
	return string(out)
}

// asked returns, in a child process, the name of the file, after denying the call. Closing is
// denied later, after the file has been created.
func asked(t *testing.T) (name string, child bool) {
	t.Helper()
	denied := os.Getenv("OUTFILE_TEST_DENIED")
	if denied != "close" {
		deny(t, denied)
	}
	return os.Args[len(os.Args)-1], denied != ""
}

func deny(t *testing.T, call string) {
	t.Helper()
	c, ok := calls[call]
	if !ok {
		return
	}
	errno, err := strconv.Atoi(os.Getenv("OUTFILE_TEST_ERRNO"))
	if err == nil {
		err = sandbox.Deny(c, unix.Errno(errno))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// writeAnswer runs in the child. It writes an answer in two writes, prints the content of the folder
// between them, and finally prints the error.
func writeAnswer(t *testing.T, name string) {
	f, err := Create(name)
	if err != nil {
		fmt.Printf("create failed: %v\n", err)
		os.Exit(0)
	}
	_, err = f.Write([]byte("the new "))
	entries, readErr := os.ReadDir(filepath.Dir(name))
	if readErr != nil {
		t.Fatal(readErr)
	}
	for _, e := range entries {
		fmt.Printf("during: %s\n", e.Name())
	}
	if err == nil {
		_, err = f.Write(bytes.Repeat([]byte("answer "), 10_000))
	}
	fmt.Printf("written: %v\n", err)
	if os.Getenv("OUTFILE_TEST_DENIED") == "close" {
		deny(t, "close")
	}
	fmt.Printf("committed: %v\n", f.Commit(true))
	os.Exit(0)
}

// TestDenied denies calls. Where there is another way the file appears by it; where not, the
// error names the file, the old one stays and nothing is left beside it.
func TestDenied(t *testing.T) {
	if name, child := asked(t); child {
		writeAnswer(t, name)
	}
	const fine = ""
	for _, test := range []struct {
		call   string
		errno  unix.Errno
		old    bool
		want   string // the reason of the failure
		during bool   // a named temporary file
	}{
		{"nothing", 0, false, fine, false},
		{"nothing", 0, true, fine, false},
		{"linkat", unix.EPERM, false, fine, true},
		{"linkat", unix.EPERM, true, fine, true},
		{"linkat", unix.ENOSYS, false, fine, true},
		{"linkat", unix.ENOSYS, true, fine, true},
		{"unnamed", unix.EOPNOTSUPP, false, fine, true},
		{"unnamed", unix.EISDIR, true, fine, true},
		{"fsync", unix.EINVAL, true, fine, false},
		{"fsync", unix.ENOSYS, false, fine, false},
		{"fsync", unix.EIO, false, "input/output error", false},
		{"fsync", unix.EIO, true, "input/output error", false},
		{"fsync", unix.ENOSPC, true, "no space left on device", false},
		{"rename", unix.EPERM, false, fine, false},
		{"rename", unix.EXDEV, true, "invalid cross-device link", false},
		{"chown", unix.EPERM, true, fine, false},
		{"close", unix.EIO, true, "input/output error", false},
		{"close", unix.EDQUOT, false, "disk quota exceeded", false},
		{"chmod", unix.EPERM, true, "operation not permitted", false},
		{"open", unix.EACCES, true, "permission denied", false}, // a file that may not be written
		{"create", unix.EROFS, false, "read-only file system", false},
		{"create", unix.EACCES, true, "permission denied", false},
	} {
		t.Run(fmt.Sprintf("%s/%s/old=%v", test.call, unix.ErrnoName(test.errno), test.old), func(t *testing.T) {
			folder := t.TempDir()
			name := filepath.Join(folder, "answer")
			if test.old {
				if err := os.WriteFile(name, []byte("old"), 0o604); err != nil {
					t.Fatal(err)
				}
				if err := os.Chown(name, 12345, -1); err != nil && os.Geteuid() == 0 {
					t.Fatal(err)
				}
			}
			out := again(t, test.call, test.errno, name)
			if named := strings.Contains(out, "during: .answer."); named != test.during {
				t.Errorf("a temporary file with a name: %v, want %v", named, test.during)
			}
			if test.want != fine {
				if !strings.Contains(out, name+": "+test.want) || strings.Contains(out, "committed: <nil>") {
					t.Errorf("%s; want %q", out, test.want)
				}
			} else if !strings.Contains(out, "committed: <nil>") {
				t.Errorf("%s", out)
			}
			appeared := test.want == fine
			switch {
			case !appeared && !test.old:
				if left(t, folder) != "" {
					t.Errorf("left %q", left(t, folder))
				}
			case left(t, folder) != "answer":
				t.Errorf("left %q", left(t, folder))
			case appeared != strings.HasPrefix(content(t, name), "the new answer answer "):
				t.Errorf("%.30q", content(t, name))
			}
			if info, err := os.Stat(name); test.old && (err != nil || info.Mode().Perm() != 0o604) {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
		})
	}
}

// TestLimitOfFileSize has a write that ends in the middle: nothing appears.
func TestLimitOfFileSize(t *testing.T) {
	if name, child := asked(t); child {
		limit := unix.Rlimit{Cur: 50_000, Max: 50_000}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		writeAnswer(t, name)
	}
	folder := t.TempDir()
	name := filepath.Join(folder, "answer")
	out := again(t, "nothing", 0, name)
	want := "file too large"
	if strings.Count(out, name+": "+want) != 2 || left(t, folder) != "" {
		t.Errorf("%s; left %q", out, left(t, folder))
	}
}

// TestKilled ends the process in the middle: of a file without a name nothing is left, of one
// with a name that file, and the old one is as it was.
func TestKilled(t *testing.T) {
	if name, child := asked(t); child {
		create(t, name, "half")
		unix.Kill(os.Getpid(), unix.SIGKILL)
	}
	for _, call := range []string{"nothing", "linkat"} {
		folder := t.TempDir()
		name := filepath.Join(folder, "answer")
		if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		again(t, call, unix.EPERM, name)
		names := strings.Fields(left(t, folder))
		if content(t, name) != "old" {
			t.Errorf("without %s: %q", call, content(t, name))
		}
		if call == "nothing" && len(names) != 1 {
			t.Errorf("left %v", names)
		}
		if call == "linkat" && (len(names) != 2 || !strings.HasPrefix(names[0], ".answer.") ||
			!strings.HasSuffix(names[0], ".thresh") || content(t, filepath.Join(folder, names[0])) != "half") {
			t.Errorf("without %s: left %v", call, names)
		}
	}
}

// TestLinkToAnotherDevice replaces a file on another file system behind a link.
func TestLinkToAnotherDevice(t *testing.T) {
	far, err := os.MkdirTemp("/dev/shm", "outfile-")
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(far)
	folder := t.TempDir()
	name, link := filepath.Join(far, "real"), filepath.Join(folder, "link")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(name, link); err != nil {
		t.Fatal(err)
	}
	if err := create(t, link, "new").Commit(true); err != nil {
		t.Fatal(err)
	}
	if content(t, name) != "new" || left(t, far) != "real" || left(t, folder) != "link" {
		t.Errorf("%q, left %q and %q", content(t, name), left(t, far), left(t, folder))
	}
}

// TestKeepsOwner replaces the files of other users and groups, as only some may.
func TestKeepsOwner(t *testing.T) {
	for _, owner := range [][2]int{{12345, 23456}, {12345, os.Getgid()}, {os.Getuid(), 23456}} {
		name := filepath.Join(t.TempDir(), "answer")
		if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(name, owner[0], owner[1]); err != nil {
			t.Skip(err)
		}
		if err := create(t, name, "new").Commit(true); err != nil {
			t.Fatal(err)
		}
		var stat unix.Stat_t
		err := unix.Stat(name, &stat)
		if got := [2]int{int(stat.Uid), int(stat.Gid)}; err != nil || got != owner || content(t, name) != "new" {
			t.Errorf("%v, %v; want %v", got, err, owner)
		}
	}
}

// TestSame tells a file by whatever name, and a device by its number.
func TestSame(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "a")
	for _, n := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(folder, n), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, make := range map[string]func(string, string) error{"hard": os.Link, "soft": os.Symlink} {
		if err := make(name, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	null := filepath.Join(folder, "null")
	if err := unix.Mknod(null, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))); err != nil {
		null = "/dev/null"
	}
	block := filepath.Join(folder, "block") // of the same number, and another device
	if err := unix.Mknod(block, unix.S_IFBLK|0o600, int(unix.Mkdev(1, 3))); err != nil {
		block = "/dev/zero"
	}
	for _, test := range []struct {
		in, out string
		want    bool
	}{
		{name, name, true}, {name, folder + "/./a", true}, {name, filepath.Join(folder, "hard"), true},
		{filepath.Join(folder, "soft"), name, true}, {name, filepath.Join(folder, "b"), false},
		{name, filepath.Join(folder, "none"), false}, {name, "/dev/null", false},
		{"/dev/null", null, true}, {"/dev/null", block, false}, {"/dev/null", "/dev/zero", false}, {null, "/dev/zero", false},
	} {
		in, err := os.Open(test.in)
		if err != nil {
			t.Fatal(err)
		}
		if got := Same(in, test.out); got != test.want {
			t.Errorf("%s and %s: %v", test.in, test.out, got)
		}
		in.Close()
	}
}
