package selfsigned

import (
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

const (
	keyType         = "PRIVATE KEY"
	certificateType = "CERTIFICATE"
)

// store is the folder that keeps the key and the certificate, in a file each: the certificate may be
// copied to other machines, the key must not leave this one. Another process may use the same folder at
// the same time; a certificate that does not match the key is then made anew at the next start.
type store struct{ folder string }

func (s *store) keyFile() string         { return filepath.Join(s.folder, "self-signed.key") }
func (s *store) certificateFile() string { return filepath.Join(s.folder, "self-signed.crt") }

// key returns the kept key. If there is none, it makes and keeps one.
func (s *store) key() (*ecdsa.PrivateKey, error) {
	key, err := s.readKey()
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return nil, err
	}
	if key, err = newKey(); err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, write(s.keyFile(), keyType, der, 0o600)
}

func (s *store) readKey() (*ecdsa.PrivateKey, error) {
	name := s.keyFile()
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s: others may read it (mode %v); delete it, and trust no certificate of it",
			name, info.Mode().Perm())
	}
	der, err := read(name, keyType)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; delete it for a new one", name, err)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%s: not an ECDSA key; delete it for a new one", name)
	}
	return key, nil
}

// certificate returns the kept certificate, or nil if there is none for the key.
func (s *store) certificate(key *ecdsa.PrivateKey) (*tls.Certificate, error) {
	der, err := read(s.certificateFile(), certificateType)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	pair, err := newPair(der, key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; delete it for a new one", s.certificateFile(), err)
	}
	if !matches(pair.Leaf, key) {
		return nil, nil
	}
	return pair, nil
}

// keep stores the certificate.
func (s *store) keep(pair *tls.Certificate) error {
	return write(s.certificateFile(), certificateType, pair.Certificate[0], 0o644)
}

func read(name, typ string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != typ {
		return nil, fmt.Errorf("%s: no %s in PEM; delete it for a new one", name, typ)
	}
	return block.Bytes, nil
}

// write writes a file that appears under its name only when it is complete.
func write(name, typ string, der []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	err = pem.Encode(f, &pem.Block{Type: typ, Bytes: der})
	if err == nil {
		err = f.Chmod(mode)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
