package serve

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	mathbig "math/big"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/failure"
)

// newPair writes a certificate for 127.0.0.1 and its key.
func newPair(t *testing.T, folder, name string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: mathbig.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(folder, "c.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	save(t, filepath.Join(folder, "k.pem"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
}

func startTLS(t *testing.T) *running { return startTLSWith(t, nil) }

func startTLSWith(t *testing.T, change func(*Options)) *running {
	t.Helper()
	folder := t.TempDir()
	newPair(t, folder, "first")
	return start(t, func(o *Options) {
		o.TLSCert, o.TLSKey = filepath.Join(folder, "c.pem"), filepath.Join(folder, "k.pem")
		if change != nil {
			change(o)
		}
	})
}

// TestCertificateFunction: the certificate of each handshake comes from Options.Certificate; without
// one there is no handshake.
func TestCertificateFunction(t *testing.T) {
	folder := t.TempDir()
	var pair atomic.Pointer[tls.Certificate]
	r := start(t, func(o *Options) { o.Certificate = pair.Load })
	for _, name := range []string{"one", "two"} {
		newPair(t, folder, name)
		next, err := tls.LoadX509KeyPair(filepath.Join(folder, "c.pem"), filepath.Join(folder, "k.pem"))
		if err != nil {
			t.Fatal(err)
		}
		pair.Store(&next)
		conn, err := tls.Dial("tcp", r.addr, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := conn.ConnectionState().PeerCertificates[0].Subject.CommonName; got != name {
			t.Errorf("the certificate is %s, not %s", got, name)
		}
		conn.Close()
	}
	pair.Store(nil)
	if _, err := tls.Dial("tcp", r.addr, &tls.Config{InsecureSkipVerify: true}); err == nil {
		t.Error("a handshake without a certificate")
	}
	var wrong *failure.OptionError
	_, err := New(folder, Options{Certificate: pair.Load, TLSCert: filepath.Join(folder, "c.pem"), TLSKey: filepath.Join(folder, "k.pem")})
	if !errors.As(err, &wrong) || wrong.Field != "Certificate" {
		t.Errorf("both kinds of certificate: %v", err)
	}
}

func TestTLS(t *testing.T) {
	r := startTLS(t)
	for _, http2 := range []bool{false, true} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: http2}
		client := &http.Client{Transport: transport}
		resp, err := client.Get("https://" + r.addr + "/big.bin")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		transport.CloseIdleConnections()
		if err != nil || !bytes.Equal(body, r.big) || (resp.ProtoMajor == 2) != http2 {
			t.Errorf("%s: %d bytes, %v", resp.Proto, len(body), err)
		}
	}
	for _, line := range r.logged(2) {
		if line.bytes != bigBytes || line.status != 200 {
			t.Errorf("logged %+v", line)
		}
	}
	if n := r.stats.tls.Load(); n != 2*bigBytes {
		t.Errorf("%d bytes by TLS", n)
	}
	if n := r.errs.containing("TLS: "); n != 1 {
		t.Errorf("reported %d times that TLS copies: %v", n, r.errs.all)
	}
	_, err := tls.Dial("tcp", r.addr, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11})
	if err == nil {
		t.Error("TLS 1.1 is taken")
	}
}

func TestTLSDrain(t *testing.T) {
	r := startTLS(t)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	resp, err := client.Get("https://" + r.addr + "/big.bin")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	stopped := make(chan error, 1)
	go func() { stopped <- r.stop(patience) }()
	if body, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(body, r.big) {
		t.Errorf("%d bytes, %v", len(body), err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestCertificateReload(t *testing.T) {
	folder := t.TempDir()
	newPair(t, folder, "first")
	var reported errorList
	c := &certificate{certFile: filepath.Join(folder, "c.pem"), keyFile: filepath.Join(folder, "k.pem"),
		errorLog: reported.add, stats: newStats()}
	now := time.Now()
	look := func() string {
		t.Helper()
		now = now.Add(certificateStatInterval)
		leaf, err := x509.ParseCertificate(c.current(now).Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		return leaf.Subject.CommonName
	}
	if name := look(); name != "first" {
		t.Errorf("serves %s", name)
	}
	newPair(t, folder, "second")
	if name := look(); name != "second" {
		t.Errorf("serves %s after a new pair", name)
	}
	save(t, c.keyFile, []byte("no key"))
	for range 3 {
		if name := look(); name != "second" {
			t.Errorf("serves %s beside a broken pair", name)
		}
	}
	if err := os.Remove(c.certFile); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if name := look(); name != "second" {
			t.Errorf("serves %s with no file", name)
		}
	}
	if n := reported.containing("the old certificate stays"); n != 2 {
		t.Errorf("%d errs: %v", n, reported.all)
	}
	newPair(t, folder, "third")
	if name := look(); name != "third" {
		t.Errorf("serves %s after repair", name)
	}
	if ok, bad := c.stats.reloads.Get(), c.stats.badReloads.Get(); ok != 3 || bad != 2 {
		t.Errorf("%d reloads and %d that failed", ok, bad)
	}
}

func TestBadCertificate(t *testing.T) {
	folder := t.TempDir()
	newPair(t, folder, "x")
	cert := filepath.Join(folder, "c.pem")
	for _, pair := range [][2]string{{cert, ""}, {"", cert}, {cert, cert}, {cert, "/none"}} {
		if _, err := New(folder, Options{TLSCert: pair[0], TLSKey: pair[1]}); err == nil {
			t.Errorf("%v is taken", pair)
		}
	}
}

// TestPatienceWithTLS: with TLS a client has as long as without: for the handshake, for a header, between two requests,
// and to take something of a response.
func TestPatienceWithTLS(t *testing.T) {
	const wait = 200 * time.Millisecond
	r := startTLSWith(t, func(o *Options) { o.HeaderTimeout, o.IdleTimeout, o.SendTimeout = wait, wait, wait })
	save(t, filepath.Join(r.folder, "huge.bin"), make([]byte, 32<<20))
	silent := r.dial(0)
	ended(t, silent)
	r.counts("thresh_serve_tls_handshake_errors_total", 1)
	dial := func(windowBytes int) *tls.Conn {
		return tls.Client(r.dial(windowBytes), &tls.Config{InsecureSkipVerify: true})
	}
	half := dial(0)
	send(t, half, "GET /small.txt HTTP/1.1\r\n"+host)
	if resp, _ := receive(t, bufio.NewReader(half), "GET"); resp.StatusCode != 408 {
		t.Errorf("half a header: %s", resp.Status)
	}
	idle := dial(0)
	get(t, idle)
	ended(t, idle) // and is told so, or this is an error
	stuck := dial(4 << 10)
	send(t, stuck, "GET /huge.bin HTTP/1.1\r\n"+host+"\r\n")
	if line := r.logged(3)[2]; line.status != 200 || line.bytes >= 32<<20 {
		t.Errorf("logged %+v", line)
	}
	eventually(t, "all are closed", func() bool { return r.stats.open.Load() == 0 })
}
