package proof

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReadCalls(t *testing.T) {
	const log = `71 sendfile(8, 9, NULL, 4194304) = 65536
72 read(8,  <unfinished ...>
71 sendfile(8, 9, NULL, 4194304) = -1 EAGAIN (Resource temporarily unavailable)
71 splice(6, NULL, 9, NULL, 1048576, SPLICE_F_NONBLOCK) = 4096
71 splice(8, NULL, 5, NULL, 4096, SPLICE_F_NONBLOCK) = 4096
72 <... read resumed>""..., 512) = -1 EAGAIN (Resource temporarily unavailable)
71 sendfile(8, 9, NULL, 4194304) = ?
71 +++ exited with 0 +++
`
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	calls, err := readCalls(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := calls.Number(); n != 5 {
		t.Errorf("%d calls: %v", n, calls)
	}
	if kept := calls.Kept(); kept != 65536+4096 {
		t.Errorf("%d bytes stayed in the kernel", kept)
	}
	if s := calls.String(); s != "2 sendfile, 2 splice, 1 read and write" {
		t.Error(s)
	}
	if _, err := readCalls(path + "x"); err == nil {
		t.Error("no error without a log")
	}
}

func TestShapesAndAbout(t *testing.T) {
	if _, err := shapeNames(t.TempDir()); err == nil {
		t.Error("no error without the program")
	}
	about, err := aboutOf(root, "foundgin")
	if err != nil || about.Rule != "responsewrapper" || about.Finding != "github.com/gin-gonic/gin@v1.12.0/response_writer.go" {
		t.Errorf("%+v, %v", about, err)
	}
	if _, err := aboutOf(root, "nestedlimit"); err == nil {
		t.Error("nestedlimit was made after no finding")
	}
}
