package selfsigned

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func subject(names ...string) Subject {
	return Subject{Names: append([]string{"localhost"}, names...),
		Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1"), netip.MustParseAddr("192.0.2.7")}}
}

// TestTrusted: a client that trusts the certificate, and no other, is connected under each name and
// address, and under no other.
func TestTrusted(t *testing.T) {
	c, err := New(subject("box.local", "*.lan"))
	if err != nil {
		t.Fatal(err)
	}
	leaf := c.Current().Leaf
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	for name, ok := range map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true, "192.0.2.7": true, "box.local": true,
		"a.lan": true, "192.0.2.8": false, "evil.example": false} {
		_, err := leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name})
		if (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if leaf.IsCA || leaf.KeyUsage != x509.KeyUsageDigitalSignature {
		t.Error("the certificate may sign others")
	}
	if err := leaf.CheckSignature(leaf.SignatureAlgorithm, leaf.RawTBSCertificate, leaf.Signature); err != nil {
		t.Error(err)
	}
	if d := leaf.NotAfter.Sub(leaf.NotBefore); d >= 398*24*time.Hour {
		t.Errorf("valid for %v, which Apple's systems refuse", d)
	}
	if !leaf.NotBefore.Before(time.Now().Add(-time.Hour)) {
		t.Error("clients with a slow clock refuse it")
	}
	if c.File() != "" {
		t.Errorf("kept in %s", c.File())
	}
}

func open(t *testing.T, folder string, s Subject) *Certificate {
	t.Helper()
	c, err := Open(folder, s, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestKept: the next start has the same certificate, unless it lacks something; the key stays.
func TestKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	first := open(t, folder, subject("box.local"))
	raw := func(c *Certificate) string { return string(c.Current().Leaf.Raw) }
	if second := open(t, folder, subject("box.local")); raw(second) != raw(first) {
		t.Error("another certificate for the same subject")
	}
	if fewer := open(t, folder, subject()); raw(fewer) != raw(first) {
		t.Error("another certificate for a part of the subject")
	}
	moved := subject("box.local")
	moved.Addresses = append(moved.Addresses, netip.MustParseAddr("2001:db8::7"))
	if v6 := open(t, folder, moved); raw(v6) != raw(first) {
		t.Error("another certificate for another IPv6 address")
	}
	moved.Addresses = append(moved.Addresses, netip.MustParseAddr("192.0.2.8"))
	for _, s := range []Subject{moved, subject("other.local")} {
		next := open(t, folder, s)
		if raw(next) == raw(first) || Pin(next.Current().Leaf) != Pin(first.Current().Leaf) {
			t.Errorf("%v: the same certificate or another key", s)
		}
		if again := open(t, folder, s); raw(again) != raw(next) {
			t.Errorf("%v: the new certificate is not kept", s)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	for name, mode := range map[string]fs.FileMode{"self-signed.key": 0o600, "self-signed.crt": 0o644, "": 0o700} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != mode {
			t.Errorf("%s has mode %v", name, info.Mode().Perm())
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 2 {
		t.Errorf("%v are in the folder, %v", entries, err)
	}
	text, err := os.ReadFile(first.File())
	if err != nil || strings.Contains(string(text), "PRIVATE") {
		t.Errorf("the certificate's file has the key, or %v", err)
	}
}

// TestRenewed: a process that runs for more than a year renews the certificate, and the next start
// does. The key stays.
func TestRenewed(t *testing.T) {
	folder := t.TempDir()
	c := open(t, folder, subject())
	first := c.Current().Leaf
	if c.at(first.NotAfter.Add(-renewBefore-time.Second)).Leaf != first {
		t.Error("renewed too early")
	}
	later := first.NotAfter.Add(-renewBefore + time.Second)
	second := c.at(later).Leaf
	if second == first || Pin(second) != Pin(first) || !second.NotAfter.After(later.Add(validity-time.Minute)) {
		t.Errorf("valid until %v at %v", second.NotAfter, later)
	}
	kept, err := c.store.certificate(c.key)
	if err != nil || !bytes.Equal(kept.Leaf.Raw, second.Raw) {
		t.Errorf("the renewed certificate is not kept: %v", err)
	}
	// One that is not valid yet, or no more, is made anew.
	if now := open(t, folder, subject()).Current().Leaf; bytes.Equal(now.Raw, second.Raw) || !usable(now, time.Now()) {
		t.Errorf("valid from %v", now.NotBefore)
	}
	// If it cannot be kept, it is renewed nevertheless.
	var failed error
	c.errorLog = func(err error) { failed = err }
	c.store = &store{filepath.Join(folder, "none")}
	if c.at(later.Add(validity)).Leaf == second || !errors.Is(failed, fs.ErrNotExist) {
		t.Errorf("failed with %v", failed)
	}
}

// TestBroken: files that are not what was kept are never overwritten, and never used.
func TestBroken(t *testing.T) {
	certificate := pem.EncodeToMemory(&pem.Block{Type: certificateType, Bytes: []byte("x")})
	for what, spoil := range map[string]func(s *store) error{
		"an empty key":         func(s *store) error { return os.WriteFile(s.keyFile(), nil, 0o600) },
		"a certificate as key": func(s *store) error { return os.WriteFile(s.keyFile(), certificate, 0o600) },
		"a broken key": func(s *store) error {
			return os.WriteFile(s.keyFile(), pem.EncodeToMemory(&pem.Block{Type: keyType, Bytes: []byte("x")}), 0o600)
		},
		"a broken certificate": func(s *store) error { return os.WriteFile(s.certificateFile(), certificate, 0o644) },
		"half a certificate":   func(s *store) error { return os.Truncate(s.certificateFile(), 100) },
		"a key for all":        func(s *store) error { return os.Chmod(s.keyFile(), 0o640) },
	} {
		if runtime.GOOS == "windows" && strings.HasSuffix(what, "for all") {
			continue
		}
		folder := t.TempDir()
		c := open(t, folder, subject())
		if err := spoil(c.store); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(folder, subject(), nil); err == nil || !strings.Contains(err.Error(), "delete it") {
			t.Errorf("%s: %v", what, err)
		}
	}
	// A certificate of another key is made anew.
	folder := t.TempDir()
	c := open(t, folder, subject())
	if err := os.Remove(c.store.keyFile()); err != nil {
		t.Fatal(err)
	}
	other := open(t, folder, subject()).Current()
	if Pin(other.Leaf) == Pin(c.Current().Leaf) {
		t.Error("the certificate of the deleted key is used")
	}
	// A folder that cannot be made.
	if err := os.WriteFile(filepath.Join(folder, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(folder, "file", "x"), subject(), nil); err == nil {
		t.Error("opened a folder below a file")
	}
}

func TestFingerprint(t *testing.T) {
	c, err := New(subject())
	if err != nil {
		t.Fatal(err)
	}
	leaf := c.Current().Leaf
	var want []string
	for _, b := range sha256.Sum256(leaf.Raw) {
		want = append(want, fmt.Sprintf("%02X", b))
	}
	if got := Fingerprint(leaf); got != strings.Join(want, ":") || len(got) != 95 {
		t.Errorf("fingerprint %s", got)
	}
	if _, ok := any(c.Current()).(*tls.Certificate); !ok || !strings.HasPrefix(Pin(leaf), "sha256//") {
		t.Errorf("pin %s", Pin(leaf))
	}
}
