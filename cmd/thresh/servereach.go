package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/net/activation"
	"github.com/thresh-dev/thresh/internal/net/interfaces"
	"github.com/thresh-dev/thresh/internal/net/selfsigned"
	"github.com/thresh-dev/thresh/serve"
)

// reachFlags are the flags of serve about how clients reach it, as typed.
type reachFlags struct {
	hosts            []string
	tlsCert, tlsKey  string
	tls              string
	redirect         string
	redirectPort     int
	hsts             string
	qr               string
	selfSigned       *selfsigned.Certificate // set by options
	redirectListener net.Listener
}

// listenRedirect listens on --redirect. at is the address to redirect to.
func (f *reachFlags) listenRedirect(sockets *activation.Sockets, at net.Addr) (err error) {
	if f.redirect == "" && !sockets.Has("redirect") {
		return nil
	}
	if !f.encrypts() {
		return errors.New("the socket of systemd named redirect needs TLS: --tls-cert with --tls-key, or --tls self-signed")
	}
	if tcp, ok := at.(*net.TCPAddr); ok && f.redirectPort == 0 {
		f.redirectPort = tcp.Port
	}
	if f.redirectPort == 0 {
		return fmt.Errorf("--redirect to unix:%s: --redirect-port says which port of https leads there", at)
	}
	f.redirectListener, err = sockets.Listen("redirect", f.redirect)
	return err
}

// encrypts reports whether there is to be TLS.
func (f *reachFlags) encrypts() bool { return f.tlsCert != "" || f.tls != "" }

// options checks the flags and sets what they say. addr is --addr.
func (f *reachFlags) options(o *serve.Options, addr string, complain func(error)) error {
	o.Hosts, o.TLSCert, o.TLSKey = f.hosts, f.tlsCert, f.tlsKey
	var err error
	wrong := func(is bool, text string) {
		if is {
			err = errors.Join(err, errors.New(text))
		}
	}
	wrong((f.tlsCert == "") != (f.tlsKey == ""), "--tls-cert and --tls-key go together")
	wrong(f.tls != "" && (f.tlsCert != "" || f.tlsKey != ""),
		"--tls self-signed and --tls-cert with --tls-key contradict each other: "+
			"the certificate is either made here or read from files")
	wrong(f.redirect != "" && !f.encrypts(), "--redirect needs TLS: --tls-cert with --tls-key, or --tls self-signed")
	wrong(f.redirectPort < 0 || f.redirectPort > 1<<16-1,
		fmt.Sprintf("--redirect-port %d: a port is below 65536", f.redirectPort))
	wrong(f.hsts != "" && f.tlsCert == "", "--hsts needs --tls-cert and --tls-key: "+
		"browsers heed it only with a certificate that they trust")
	if f.hsts != "" {
		var herr error
		o.HSTS, herr = parseHSTS(f.hsts)
		err = errors.Join(err, herr)
	}
	if err != nil || f.tls == "" {
		return err
	}
	if f.selfSigned, err = openSelfSigned(f.subject(addr), complain); err != nil {
		return err
	}
	o.Certificate = f.selfSigned.Current
	return nil
}

// parseHSTS translates --hsts to the value of the header: 365d;includeSubDomains is
// max-age=31536000; includeSubDomains.
func parseHSTS(text string) (string, error) {
	age, directives, more := strings.Cut(text, ";")
	days, isDays := strings.CutSuffix(age, "d")
	n, err := strconv.ParseUint(days, 10, 16)
	seconds := int64(n) * 24 * 3600
	if !isDays {
		var d time.Duration
		d, err = time.ParseDuration(age)
		seconds = int64(d / time.Second)
	}
	if err != nil || seconds < 0 {
		return "", fmt.Errorf("--hsts %q: it begins with a time in days or hours, like 365d or 1h", text)
	}
	value := fmt.Sprintf("max-age=%d", seconds)
	if more {
		value += "; " + strings.TrimSpace(directives)
	}
	return value, nil
}

// subject returns what a self-signed certificate is for: this machine as others reach it at addr, and
// the hosts that are named.
func (f *reachFlags) subject(addr string) selfsigned.Subject {
	s := selfsigned.Subject{
		Names:     []string{"localhost"},
		Addresses: []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()},
	}
	if !loopbackOnly(addr) {
		if host := interfaces.Hostname(); host != "" {
			first, _, _ := strings.Cut(host, ".")
			s.Names = append(s.Names, host, first+".local")
		}
		// An error means that there are none to name; listening will tell.
		own, _ := interfaces.Addresses()
		s.Addresses = append(s.Addresses, own...)
	}
	for _, host := range f.hosts {
		host = strings.TrimSuffix(strings.ToLower(host), ".")
		if ip, err := netip.ParseAddr(host); err == nil {
			s.Addresses = append(s.Addresses, ip.Unmap())
		} else if host != "*" {
			s.Names = append(s.Names, host)
		}
	}
	s.Names, s.Addresses = unique(s.Names), unique(s.Addresses)
	return s
}

// unique returns the elements in order, each once.
func unique[T comparable](all []T) (once []T) {
	for _, e := range all {
		if !slices.Contains(once, e) {
			once = append(once, e)
		}
	}
	return once
}

// loopbackOnly reports whether --addr is an address that only this machine reaches.
func loopbackOnly(addr string) bool {
	if strings.HasPrefix(addr, "unix:") {
		return true
	}
	host, _, _ := net.SplitHostPort(addr) // listening reports what is wrong with it
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// openSelfSigned returns the certificate that is kept in the state folder, or one in memory if it
// cannot be kept.
func openSelfSigned(subject selfsigned.Subject, complain func(error)) (*selfsigned.Certificate, error) {
	folder, err := stateFolder()
	if err == nil {
		var c *selfsigned.Certificate
		if c, err = selfsigned.Open(folder, subject, complain); err == nil {
			return c, nil
		}
	}
	complain(fmt.Errorf("warning: the self-signed certificate is not kept, and the next start has another one: %w", err))
	return selfsigned.New(subject)
}

// stateFolder returns the folder for what lasts from start to start: that of the systemd unit
// (StateDirectory=), or the user's.
func stateFolder() (string, error) {
	if folder, _, _ := strings.Cut(os.Getenv("STATE_DIRECTORY"), ":"); folder != "" {
		return folder, nil
	}
	if folder := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(folder) {
		return filepath.Join(folder, "thresh"), nil
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		folder, err := os.UserConfigDir()
		return filepath.Join(folder, "thresh"), err
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state", "thresh"), err
}
