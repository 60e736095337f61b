package remote

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/options"
)

// The proxies of the environment are looked up once in the life of a process. So each case is a process: this test,
// which then counts the lines of an object. With a bound for its memory it prints what it took of that at most.
const (
	countVariable = "THRESH_TEST_COUNT"
	boundVariable = "THRESH_TEST_BOUND"
)

func countInProcess(name string) (status int) {
	c := New(quick)
	defer c.Close()
	o := options.Find{Run: options.Run{ChunkBytes: 200_000}}
	var peak func() int64
	if bound := os.Getenv(boundVariable); bound != "" {
		n, err := strconv.ParseInt(bound, 10, 64)
		if err != nil {
			fmt.Print(err)
			return 2
		}
		o = options.Find{Run: options.Run{MemoryBytes: n}}
		peak = watchMemory()
	}
	in, err := c.Open(context.Background(), name)
	if err == nil {
		var r answer.Report
		r, err = thresh.Count(context.Background(), in, thresh.LineCount(), o.Scan())
		fmt.Print(r.Hits, " ", r.Complete)
		if peak != nil && err == nil {
			feed, _ := thresh.Text("\n") // as many matches as there are lines
			r, err = thresh.Find(context.Background(), in, feed, o, func([]answer.Hit) error { return nil })
			fmt.Print(" ", r.Hits, " ", peak())
		}
		in.Close()
	}
	if err != nil {
		fmt.Print(err)
		return 1
	}
	return 0
}

// inProcess counts the lines of an object in a process with these variables, and no others about proxies.
func inProcess(t *testing.T, name string, variables ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	for _, v := range os.Environ() {
		if n, _, _ := strings.Cut(v, "="); !strings.HasSuffix(strings.ToLower(n), "_proxy") && n != "REQUEST_METHOD" {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(append(cmd.Env, variables...), countVariable+"="+name)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out)
}

// requests are what a server or a proxy was asked.
type requests struct {
	mu  sync.Mutex
	all []*http.Request
}

func (l *requests) add(r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, r.Clone(context.Background()))
}

func (l *requests) take() []*http.Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.all
	l.all = nil
	return all
}

var proxyUser = "Basic " + base64.StdEncoding.EncodeToString([]byte("proxy:key"))

// startProxy starts a proxy for the user proxy:key that connects to target, whatever host is asked for.
func startProxy(t *testing.T, target string, log *requests) (address string) {
	transport := &http.Transport{Proxy: nil}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Host = target }, Transport: transport,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		log.add(r)
		switch {
		case r.Header.Get("Proxy-Authorization") != proxyUser:
			w.WriteHeader(http.StatusProxyAuthRequired)
		case r.Method != http.MethodConnect:
			forward.ServeHTTP(w, r)
		default:
			tunnel(t, w, target)
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(transport.CloseIdleConnections)
	return s.Listener.Addr().String()
}

// tunnel connects the client of a proxy with a server.
func tunnel(t *testing.T, w http.ResponseWriter, target string) {
	server, err := net.Dial("tcp", target)
	if err != nil {
		t.Error(err)
		return
	}
	defer server.Close()
	client, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	defer client.Close()
	io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
	var wg sync.WaitGroup
	wg.Go(func() { io.Copy(server, client); server.Close() })
	wg.Go(func() { io.Copy(client, server); client.Close() })
	wg.Wait()
}

// TestProxy reads through a plain proxy and through a tunnel. The proxy sees no password of the object in the tunnel,
// and the server never sees the one of the proxy.
func TestProxy(t *testing.T) {
	data := text(900_000)
	lines := bytes.Count(data, []byte{'\n'})
	if data[len(data)-1] != '\n' {
		lines++
	}
	want := fmt.Sprint(lines, " true")
	var served, proxied requests
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.add(r)
		serveRanges(data)(w, r)
	})
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer secure.Close()
	trusted := filepath.Join(t.TempDir(), "trusted.pem")
	write(t, trusted, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}))
	for _, scheme := range []string{"http", "https"} {
		if scheme == "https" && runtime.GOOS != "linux" {
			t.Log("only Linux takes trusted certificates from SSL_CERT_FILE")
			continue
		}
		s := map[string]*httptest.Server{"http": plain, "https": secure}[scheme]
		proxy := startProxy(t, s.Listener.Addr().String(), &proxied)
		variable := strings.ToUpper(scheme) + "_PROXY="
		name := scheme + "://me:secret@example.com/object"
		if got := inProcess(t, name, variable+"http://proxy:key@"+proxy, "SSL_CERT_FILE="+trusted); got != want {
			t.Fatalf("%s: %s, want %s", scheme, got, want)
		}
		through, arrived := proxied.take(), served.take()
		checkCover(t, arrived, len(data))
		for _, r := range arrived {
			user, password, _ := r.BasicAuth()
			if user != "me" || password != "secret" || r.Header.Get("Proxy-Authorization") != "" || r.Host != "example.com" {
				t.Errorf("%s: the server got %s %v", scheme, r.Host, r.Header)
			}
		}
		if scheme == "http" && len(through) != len(arrived) {
			t.Errorf("%d requests came, %d through the proxy", len(arrived), len(through))
		}
		for _, r := range through {
			tunnelled := r.Method == http.MethodConnect && r.Host == "example.com:443" && r.Header.Get("Authorization") == ""
			absolute := r.Method == http.MethodGet && r.RequestURI == "http://example.com/object"
			if scheme == "https" && !tunnelled || scheme == "http" && !absolute {
				t.Errorf("%s: the proxy got %s %s %v", scheme, r.Method, r.RequestURI, r.Header)
			}
		}
		got := inProcess(t, name, variable+"http://proxy:wrong@"+proxy, "SSL_CERT_FILE="+trusted)
		secret := strings.Contains(got, "secret") || strings.Contains(got, "wrong")
		advice := "the proxy " + proxy + " answered 407 Proxy Authentication Required: check user and password in " + variable
		if !strings.Contains(got, advice) || secret {
			t.Errorf("%s with a wrong password for the proxy: %s", scheme, got)
		}
		if served.take() != nil {
			t.Errorf("%s: the proxy was passed by", scheme)
		}
		if asked := proxied.take(); len(asked) != 1 {
			t.Errorf("%s: the proxy was asked %d times with a wrong password", scheme, len(asked))
		}
	}
	checkNoProxy(t, handler, want, &served, &proxied)
}

// checkCover checks that requests are for each byte of an object once, all but the first for its version.
func checkCover(t *testing.T, all []*http.Request, size int) {
	t.Helper()
	held := make([]int, size)
	for i, r := range all {
		off, end := asked(r)
		if (i == 0) != (r.Header.Get("If-Match") == "") || i == 0 && (off != 0 || end != headBytes) {
			t.Errorf("request %d for %d to %d has If-Match %q", i, off, end, r.Header.Get("If-Match"))
		}
		if end > size || off >= end {
			t.Fatalf("request for %d to %d of %d", off, end, size)
		}
		for b := off; b < end; b++ {
			held[b]++
		}
	}
	for b, n := range held {
		if n != 1 {
			t.Fatalf("byte %d was requested %d times", b, n)
		}
	}
}

// checkNoProxy asks a server with an address of this machine's own, for which a proxy is used unless NO_PROXY
// names it.
func checkNoProxy(t *testing.T, handler http.Handler, want string, served, proxied *requests) {
	address := ownAddress()
	if address == "" {
		t.Log("this machine has no address but the loopback's, which is never reached through a proxy")
		return
	}
	s := httptest.NewUnstartedServer(handler)
	l, err := net.Listen("tcp4", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Logf("no server at %s: %v", address, err)
		return
	}
	s.Listener.Close()
	s.Listener = l
	s.Start()
	defer s.Close()
	proxy := startProxy(t, l.Addr().String(), proxied)
	for _, not := range []string{"", address, "example.org"} {
		got := inProcess(t, "http://"+l.Addr().String()+"/object", "HTTP_PROXY=http://proxy:key@"+proxy, "NO_PROXY="+not)
		through, arrived := proxied.take(), served.take()
		if direct := not == address; got != want || len(arrived) == 0 || direct != (len(through) == 0) {
			t.Errorf("NO_PROXY=%s: %s, %d requests through the proxy, %d arrived", not, got, len(through), len(arrived))
		}
	}
}

// ownAddress returns an address of this machine in a network, "" if there is none.
func ownAddress() string {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsGlobalUnicast() {
			return n.IP.String()
		}
	}
	return ""
}
