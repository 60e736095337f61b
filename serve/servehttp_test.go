package serve_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"github.com/thresh-dev/thresh/serve"
	"github.com/thresh-dev/thresh/zerocopy"
)

// locked is a log that many may write and read.
type locked struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

// TestServeHTTP: under somebody else's server and prefix there are authentication, the log and metrics, folders are
// redirected below the prefix, and bodies go by sendfile.
func TestServeHTTP(t *testing.T) {
	folder := t.TempDir()
	content := bytes.Repeat([]byte("0123456789abcdef"), 64<<10)
	if err := os.MkdirAll(filepath.Join(folder, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "below", "file"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	var log locked
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(folder, serve.Options{AccessLog: &log, Users: map[string]string{"alice": string(hash)}})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/files/", http.StripPrefix("/files", server))
	var counter zerocopy.Counter
	front := httptest.NewUnstartedServer(mux)
	front.Listener = zerocopy.NewListener(front.Listener, func(net.Conn) zerocopy.Hooks {
		return zerocopy.Hooks{Write: []zerocopy.Hook{zerocopy.Count(&counter)}}
	})
	front.Start()
	defer front.Close()
	ask := func(path, password string) (int, string, string) {
		r, err := http.NewRequest(http.MethodGet, front.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if password != "" {
			r.SetBasicAuth("alice", password)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b), resp.Request.URL.Path
	}
	if status, _, _ := ask("/files/below/file", ""); status != http.StatusUnauthorized {
		t.Errorf("without a password: %d", status)
	}
	if status, body, _ := ask("/files/below/file", "secret"); status != http.StatusOK || body != string(content) {
		t.Errorf("%d, %d bytes", status, len(body))
	}
	if status, body, path := ask("/files/below", "secret"); status != http.StatusOK || path != "/files/below/" ||
		!strings.Contains(body, "file") {
		t.Errorf("a folder: %d at %s: %.200s", status, path, body)
	}
	recorded := httptest.NewRecorder()
	server.Metrics().ServeHTTP(recorded, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if !strings.Contains(recorded.Body.String(), `status="2xx"`) {
		t.Errorf("metrics: %s", recorded.Body)
	}
	if err := server.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := ask("/files/below/file", "secret"); status != http.StatusServiceUnavailable {
		t.Errorf("after Shutdown: %d", status)
	}
	if sent := counter.Bytes(zerocopy.BySendfile); sent != int64(len(content)) {
		t.Errorf("%d bytes by sendfile of %d: %v", sent, len(content), counter.Total())
	}
	for _, want := range []string{"below/file", " 401 ", " 200 1048576", "alice"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log.String())
		}
	}
}
