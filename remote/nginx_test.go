package remote

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/test/server"
	"github.com/thresh-dev/thresh/options"
)

// nginxConf serves a folder: as it is; without ranges; compressed on the way, for those who accept that; behind a
// redirect to an absolute address, with a password for both.
const nginxConf = `USER
daemon off;
master_process off;
pid "TEMP/pid";
error_log "TEMP/error.log";
events { worker_connections 500; }
http {
	log_format asked '$request_method|$uri|$status|$http_range|$http_if_match|$http_accept_encoding|$remote_user|$sent_http_etag';
	access_log "TEMP/access.log" asked;
	client_body_temp_path "TEMP/body";
	proxy_temp_path "TEMP/proxy";
	fastcgi_temp_path "TEMP/fastcgi";
	uwsgi_temp_path "TEMP/uwsgi";
	scgi_temp_path "TEMP/scgi";
	server {
		listen ADDRESS;
		location /files/ { alias "FOLDER/"; }
		location /whole/ { alias "FOLDER/"; max_ranges 0; }
		location /packed/ { alias "FOLDER/"; gzip on; gzip_types *; gzip_min_length 1; }
		location /private/ { alias "FOLDER/"; auth_basic "private"; auth_basic_user_file "TEMP/users"; }
		location /moved/ {
			auth_basic "private";
			auth_basic_user_file "TEMP/users";
			rewrite ^/moved/(.*)$ http://$http_host/private/$1 redirect;
		}
	}
}
`

// nginx is one that serves a folder.
type nginx struct{ address, folder, temp string }

func startNginx(t *testing.T) *nginx {
	program, err := exec.LookPath("nginx")
	if err != nil {
		program = "/usr/sbin/nginx"
		if _, err := os.Stat(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%v: scripts/test-setup.sh installs it", err)
			}
			t.Skipf("%v: scripts/test-setup.sh installs it", err)
		}
	}
	n := &nginx{folder: t.TempDir(), temp: t.TempDir()}
	user := ""
	if os.Getuid() == 0 {
		user = "user root;" // who may read the folder
	}
	write(t, filepath.Join(n.temp, "users"), []byte("me:{PLAIN}secret\n"))
	n.address = server.Start(t, func(address string) []string {
		conf := strings.NewReplacer("USER", user, "TEMP", n.temp, "FOLDER", n.folder, "ADDRESS", address).Replace(nginxConf)
		write(t, filepath.Join(n.temp, "conf"), []byte(conf))
		return []string{program, "-e", filepath.Join(n.temp, "error.log"), "-c", filepath.Join(n.temp, "conf")}
	})
	return n
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// logged is a line of the access log.
type logged struct{ method, uri, status, byteRange, ifMatch, encoding, user, etag string }

// requests waits until the log has a number of requests for a path, and returns them.
func (n *nginx) requests(t *testing.T, uri string, least int) (all []logged) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(n.temp, "access.log"))
		if err != nil {
			t.Fatal(err)
		}
		all = nil
		for line := range strings.Lines(string(text)) {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "|")
			if len(f) == 8 && f[1] == uri {
				all = append(all, logged{f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]})
			}
		}
		if len(all) >= least {
			return all
		}
		if time.Now().After(end) {
			t.Fatalf("%d requests for %s in the log, want %d:\n%s", len(all), uri, least, text)
		}
	}
}

// TestNginx asks a real server in all ways, and compares with its files and its log.
func TestNginx(t *testing.T) {
	n := startNginx(t)
	data := text(1_700_000)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(data)
	w.Close()
	write(t, filepath.Join(n.folder, "data"), data)
	write(t, filepath.Join(n.folder, "once"), data)
	write(t, filepath.Join(n.folder, "data.gz"), packed.Bytes())
	options := options.Find{Run: options.Run{ChunkBytes: 200_000}}
	want := answers(t, func() (*thresh.Input, error) { return thresh.Open(filepath.Join(n.folder, "data")) }, options)
	for _, path := range []string{
		"/files/data", "/whole/data", "/packed/data", "/private/data", "/moved/data", "/files/data.gz", "/whole/data.gz",
	} {
		t.Run(path[1:], func(t *testing.T) {
			c := newClient(t, quick)
			name := "http://me:secret@" + n.address + path
			if got := answers(t, func() (*thresh.Input, error) { return c.Open(t.Context(), name) }, options); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	t.Run("ranges", func(t *testing.T) { n.checkRanges(t, len(data)) })
	t.Run("log", func(t *testing.T) {
		for _, r := range slices.Concat(n.requests(t, "/whole/data", 6), n.requests(t, "/packed/data", 6)) {
			if r.encoding != "identity" || strings.HasPrefix(r.uri, "/whole/") != (r.status == "200") {
				t.Errorf("%+v", r)
			}
		}
		opened := 0
		for _, r := range n.requests(t, "/moved/data", 6) {
			if r.user != "me" || r.status != "302" {
				t.Errorf("%+v", r)
			}
			opened++
		}
		if opened != 6 { // after that, requests go where the redirect leads
			t.Errorf("%d requests for an object that was opened 6 times and moved", opened)
		}
	})
	t.Run("refused", func(t *testing.T) {
		c := newClient(t, quick)
		for path, status := range map[string]int{"/files/none": http.StatusNotFound, "/private/data": http.StatusUnauthorized} {
			var refused *StatusError
			if _, err := c.Open(t.Context(), "http://"+n.address+path); !errors.As(err, &refused) || refused.Status != status {
				t.Errorf("%s: %v", path, err)
			}
		}
	})
	t.Run("replaced", func(t *testing.T) {
		in, err := newClient(t, quick).Open(t.Context(), "http://"+n.address+"/files/data")
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		write(t, filepath.Join(n.folder, "new"), bytes.Repeat([]byte{'\n'}, len(data)+1))
		if err := os.Rename(filepath.Join(n.folder, "new"), filepath.Join(n.folder, "data")); err != nil {
			t.Fatal(err)
		}
		r, err := thresh.Count(t.Context(), in, thresh.LineCount(), options.Scan())
		if err != nil || len(r.Unread) == 0 || !errors.As(&r.Unread[0], new(*ReplacedError)) {
			t.Fatalf("%d lines, unread %v: %v", r.Hits, r.Unread, err)
		}
		all := n.requests(t, "/files/data", 1)
		if !slices.ContainsFunc(all, func(r logged) bool { return r.status == "412" }) {
			t.Error("nginx refused no version")
		}
	})
}

// checkRanges reads an object once. Its server was asked for each byte once, and behind the first range for the
// version that came with that.
func (n *nginx) checkRanges(t *testing.T, size int) {
	if err := count(t, newClient(t, quick), "http://"+n.address+"/files/once", int64(size)); err != nil {
		t.Fatal(err)
	}
	held := 0
	var all []logged
	for least := 2; held < size; least = len(all) + 1 {
		all, held = n.requests(t, "/files/once", least), 0
		for _, r := range all {
			off, end := 0, 0
			if _, err := fmt.Sscanf(r.byteRange, "bytes=%d-%d", &off, &end); err != nil {
				t.Fatalf("%+v: %v", r, err)
			}
			held += min(end+1, size) - off
			first := off == 0
			if r.method != http.MethodGet || r.status != "206" || r.etag != all[0].etag || r.encoding != "identity" ||
				r.user != "-" || first != (r.ifMatch == "-") || !first && strings.ReplaceAll(r.ifMatch, `\x22`, `"`) !=
				strings.ReplaceAll(r.etag, `\x22`, `"`) {
				t.Errorf("%+v", r)
			}
		}
	}
	if held != size {
		t.Errorf("%d bytes requested of %d", held, size)
	}
}
