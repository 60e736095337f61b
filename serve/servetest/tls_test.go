//go:build linux

package servetest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/test/client"
	"github.com/thresh-dev/thresh/serve"
)

// certificate creates a key and a self-signed certificate for the loopback address.
func certificate(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: "files.test"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:     []string{"localhost"},
		IsCA:         true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", cert), write("key.pem", "PRIVATE KEY", private)
}

func TestCurlTLS(t *testing.T) {
	curl := client.Program(t, "curl", "curl")
	root := tree(t)
	cert, key := certificate(t)
	s := start(t, root, serve.Options{TLSCert: cert, TLSKey: key})
	want := body(t, filepath.Join(root, "3m.bin"))
	for flag, version := range map[string]string{"--http2": "2", "--http1.1": "1.1", "--http1.0": "1.1"} {
		to := filepath.Join(t.TempDir(), "out")
		args := []string{"-sS", "--fail", "--cacert", cert, flag, "-o", to, "-w", "%{http_version} %{http_code}"}
		if out := output(t, curl, append(args, "https://"+s.addr+"/3m.bin")...); out != version+" 200" {
			t.Errorf("%s: %q", flag, out)
		}
		if !bytes.Equal(body(t, to), want) {
			t.Errorf("%s: other bytes came", flag)
		}
		if out := output(t, curl, append(args, "-r", "5-9", "https://"+s.addr+"/3m.bin")...); out != version+" 206" {
			t.Errorf("%s, range: %q", flag, out)
		}
		if !bytes.Equal(body(t, to), want[5:10]) {
			t.Errorf("%s, range: other bytes came", flag)
		}
		if out := output(t, curl, "-sS", "--cacert", cert, flag, "-o", to, "-w", "%{http_code}", "-r", "0-9,20-29", "https://"+s.addr+"/3m.bin"); out != "206" {
			t.Errorf("%s, ranges: %q", flag, out)
		}
		if got := body(t, to); !bytes.Contains(got, want[:10]) || !bytes.Contains(got, want[20:30]) {
			t.Errorf("%s, ranges: %q", flag, got)
		}
	}
	if out, err := run(t, curl, "-sS", "-k", "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0", "https://"+s.addr+"/one"); err == nil {
		t.Errorf("TLS 1.1 is spoken: %q", out)
	}
	// Plain HTTP to the TLS port gets an error or a close, but no file.
	r, err := exchange(s.addr, get("GET", "/one", "HTTP/1.1"))
	if err != nil || r.status == 200 {
		t.Errorf("plain HTTP is answered %d, %v", r.status, err)
	}
	if out := output(t, curl, "-sS", "--fail", "--cacert", cert, fmt.Sprintf("https://%s/one", s.addr)); out != "1" {
		t.Errorf("after these: %q", out)
	}
}
