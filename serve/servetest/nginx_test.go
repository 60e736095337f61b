//go:build linux

package servetest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/test/client"
)

const nginxConf = `
daemon off;
master_process off;
pid %[1]s/pid;
error_log %[1]s/error.log info;
events { worker_connections 64; }
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	absolute_redirect off;
	sendfile on;
	tcp_nopush on;
	server {
		listen unix:%[1]s/socket;
		root %[2]s;
		autoindex on;
		etag on;
		gzip_static on;
		gzip_vary on;
	}
}
`

// startNginx serves root with nginx and returns the path of its unix socket: a port that is free
// now may be taken by the time nginx listens.
func startNginx(t *testing.T, root string) string {
	t.Helper()
	// Debian's sbin is not in every user's PATH.
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin")
	nginx := client.Program(t, "nginx", "nginx-light")
	dir, err := os.MkdirTemp("", "nginx") // a socket's path may have at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	conf := filepath.Join(dir, "conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, nginxConf, dir, root), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(nginx, "-p", dir, "-c", conf, "-e", filepath.Join(dir, "error.log"))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Errorf("stop nginx: %v", err)
		}
		if err := <-ended; err != nil {
			t.Errorf("nginx: %v\n%s", err, body(t, filepath.Join(dir, "error.log")))
		}
	})
	socket := filepath.Join(dir, "socket")
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("unix", socket)
		if err == nil {
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			return socket
		}
		if time.Now().After(deadline) {
			t.Fatalf("nginx does not listen: %v", err)
		}
	}
}
