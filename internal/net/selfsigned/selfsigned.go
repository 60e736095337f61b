// Package selfsigned makes a certificate for this machine that no authority has signed, and keeps it
// for the next start.
package selfsigned

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"
)

const (
	day         = 24 * time.Hour
	validity    = 397 * day // with backdated less than 398 days, which is all that Apple's systems accept
	backdated   = day / 2   // for clients whose clock is slow
	renewBefore = 30 * day
	serialBits  = 127 // a positive number of at most 20 bytes (RFC 5280, section 4.1.2.2)
)

// Subject is what a certificate is for.
type Subject struct {
	Names     []string     // DNS names; the first one is also the common name
	Addresses []netip.Addr // IPv4 and IPv6
}

// Certificate is a self-signed certificate that renews itself. It is safe for concurrent use.
type Certificate struct {
	subject  Subject
	store    *store // nil: nothing is kept
	key      *ecdsa.PrivateKey
	errorLog func(error)

	mu   sync.Mutex
	pair *tls.Certificate
}

// New makes a key and a certificate in memory.
func New(subject Subject) (*Certificate, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	c := &Certificate{subject: subject, key: key}
	c.pair, err = c.sign(time.Now())
	return c, err
}

// Open takes the key and the certificate of earlier calls from the folder, which it creates if needed.
// The key lasts until it is deleted. The certificate is made anew when it ends soon, or when it lacks
// a name or an IPv4 address of the subject. IPv6 addresses are no reason: many systems change them
// every day. Errors of later renewals go to errorLog.
func Open(folder string, subject Subject, errorLog func(error)) (*Certificate, error) {
	c := &Certificate{subject: subject, store: &store{folder}, errorLog: errorLog}
	var err error
	if c.key, err = c.store.key(); err != nil {
		return nil, err
	}
	now := time.Now()
	if c.pair, err = c.store.certificate(c.key); err != nil {
		return nil, err
	}
	if c.pair == nil || !usable(c.pair.Leaf, now) || !covers(c.pair.Leaf, subject) {
		if c.pair, err = c.sign(now); err != nil {
			return nil, err
		}
		if err := c.store.keep(c.pair); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Current returns the certificate, and renews it before it ends.
func (c *Certificate) Current() *tls.Certificate { return c.at(time.Now()) }

func (c *Certificate) at(now time.Time) *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if usable(c.pair.Leaf, now) {
		return c.pair
	}
	renewed, err := c.sign(now)
	if err == nil {
		c.pair = renewed
		if c.store != nil {
			err = c.store.keep(renewed)
		}
	}
	if err != nil && c.errorLog != nil {
		c.errorLog(fmt.Errorf("renew the self-signed certificate: %w", err))
	}
	return c.pair
}

// File returns the file in PEM that the certificate is kept in, or "" if it is not kept.
func (c *Certificate) File() string {
	if c.store == nil {
		return ""
	}
	return c.store.certificateFile()
}

func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

// sign makes a certificate. It is not an authority: trusting it means to trust this server, and nothing that
// its key could sign.
func (c *Certificate) sign(now time.Time) (*tls.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), serialBits))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{Organization: []string{"thresh self-signed"}},
		NotBefore:             now.Add(-backdated),
		NotAfter:              now.Add(validity),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		DNSNames:              c.subject.Names,
	}
	if len(c.subject.Names) > 0 {
		template.Subject.CommonName = c.subject.Names[0]
	}
	for _, a := range c.subject.Addresses {
		template.IPAddresses = append(template.IPAddresses, net.IP(a.AsSlice()))
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &c.key.PublicKey, c.key)
	if err != nil {
		return nil, fmt.Errorf("make a self-signed certificate: %w", err)
	}
	return newPair(der, c.key)
}

func newPair(der []byte, key *ecdsa.PrivateKey) (*tls.Certificate, error) {
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, nil
}

func usable(leaf *x509.Certificate, now time.Time) bool {
	return now.After(leaf.NotBefore) && now.Before(leaf.NotAfter.Add(-renewBefore))
}

// covers reports whether the certificate has all names and IPv4 addresses of the subject.
func covers(leaf *x509.Certificate, subject Subject) bool {
	names := map[string]bool{}
	for _, name := range leaf.DNSNames {
		names[name] = true
	}
	for _, name := range subject.Names {
		if !names[name] {
			return false
		}
	}
	for _, a := range subject.Addresses {
		if a.Is4() && leaf.VerifyHostname(a.String()) != nil {
			return false
		}
	}
	return true
}

// Fingerprint returns the SHA-256 of a certificate as browsers show it: AB:CD:...
func Fingerprint(leaf *x509.Certificate) string {
	sum := sha256.Sum256(leaf.Raw)
	return strings.ReplaceAll(fmt.Sprintf("% X", sum[:]), " ", ":")
}

// Pin returns the SHA-256 of a certificate's public key as curl --pinnedpubkey takes it. It stays the
// same when the certificate is renewed.
func Pin(leaf *x509.Certificate) string {
	sum := sha256.Sum256(leaf.RawSubjectPublicKeyInfo)
	return "sha256//" + base64.StdEncoding.EncodeToString(sum[:])
}

// matches reports whether the certificate is for the key.
func matches(leaf *x509.Certificate, key *ecdsa.PrivateKey) bool {
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	return err == nil && bytes.Equal(der, leaf.RawSubjectPublicKeyInfo)
}
