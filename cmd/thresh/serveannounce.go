package main

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/net/interfaces"
	"github.com/thresh-dev/thresh/internal/net/selfsigned"
	"github.com/thresh-dev/thresh/internal/output/qrcode"
)

// resolveWait bounds the time for the names of this machine to be resolved.
const resolveWait = 500 * time.Millisecond

// announce says where to look, and what is dangerous about it. On a terminal it also says how others
// reach the server.
func (f *serveFlags) announce(ctx context.Context, w io.Writer, addr net.Addr, path string) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	scheme := "http"
	if f.reach.encrypts() {
		scheme = "https"
	}
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		fmt.Fprintf(w, "serving %s at %s of unix:%s\n", path, scheme, addr)
		f.reach.announceCertificate(w, "")
		return
	}
	at := netip.AddrPortFrom(tcp.AddrPort().Addr().Unmap(), tcp.AddrPort().Port())
	if at.Addr().IsUnspecified() {
		at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())
	}
	file, isFile := w.(*os.File)
	onTerminal := isFile && command.IsTerminal(file)
	fmt.Fprintf(w, "serving %s at %s://%s/\n", path, scheme, at)
	if onTerminal && tcp.IP.IsLoopback() {
		fmt.Fprintf(w, "  for this machine only; --addr :%d is for others, too\n", at.Port())
	}
	f.reach.announceCertificate(w, fmt.Sprintf("%s://%s/", scheme, at))
	if l := f.reach.redirectListener; l != nil {
		fmt.Fprintf(w, "redirecting from %s\n", printAddr(l.Addr()))
	}
	if !f.reach.encrypts() && (len(f.auth) > 0 || f.authFile != "") && !tcp.IP.IsLoopback() {
		fmt.Fprintln(w, "thresh: warning: without TLS (--tls) passwords cross the network in the clear")
	}
	if onTerminal || f.reach.qr == "always" {
		ctx, cancel := context.WithTimeout(ctx, resolveWait)
		defer cancel()
		urls := f.reach.urls(ctx, scheme, tcp)
		for _, url := range urls {
			fmt.Fprintf(w, "  for others: %s\n", url)
		}
		columns := 0 // any
		if onTerminal {
			columns, _, _ = term.GetSize(int(file.Fd())) // 0 if the terminal does not say
		}
		f.reach.showQR(w, urls, columns)
	}
}

// announceCertificate says by what to recognize a self-signed certificate.
func (f *reachFlags) announceCertificate(w io.Writer, url string) {
	if f.selfSigned == nil {
		return
	}
	leaf := f.selfSigned.Current().Leaf
	fmt.Fprintf(w, "self-signed certificate, valid until %s, SHA-256 fingerprint\n  %s\n",
		leaf.NotAfter.Format(time.DateOnly), selfsigned.Fingerprint(leaf))
	if file := f.selfSigned.File(); file != "" {
		fmt.Fprintf(w, "  curl --cacert %s %s\n", file, url)
	}
	fmt.Fprintf(w, "  curl --insecure --pinnedpubkey %s %s\n", selfsigned.Pin(leaf), url)
}

// urls returns the URLs by which other machines reach the server, best first: the names that it was
// told or that its certificate has, then this machine's addresses and names, unless a name is needed.
func (f *reachFlags) urls(ctx context.Context, scheme string, at *net.TCPAddr) (all []string) {
	if at.IP.IsLoopback() {
		return nil
	}
	hosts, anyHost := []string{}, len(f.hosts) == 0
	for _, host := range append(f.hosts[:len(f.hosts):len(f.hosts)], certificateNames(f.tlsCert)...) {
		if !strings.HasPrefix(host, "*") {
			hosts = append(hosts, strings.ToLower(host))
		}
		anyHost = anyHost || host == "*"
	}
	if anyHost || f.selfSigned != nil { // a self-signed certificate has all of them
		addresses := []netip.Addr{at.AddrPort().Addr().Unmap()}
		if addresses[0].IsUnspecified() {
			own, err := interfaces.Addresses()
			if err != nil {
				return nil // the line with the loopback address is printed already
			}
			is4 := addresses[0].Is4() // :: is for IPv4, too
			addresses = addresses[:0]
			for _, a := range own {
				if a.Is4() || !is4 {
					addresses = append(addresses, a)
				}
			}
		}
		for i, a := range addresses {
			hosts = append(hosts, a.String())
			if i == 0 {
				hosts = append(hosts, interfaces.Names(ctx, addresses)...)
			}
		}
	}
	for _, host := range unique(hosts) {
		all = append(all, scheme+"://"+urlHost(host, at.Port, scheme)+"/")
	}
	return all
}

// urlHost returns a host and a port as they stand in a URL.
func urlHost(host string, port int, scheme string) string {
	if scheme == "http" && port == 80 || scheme == "https" && port == 443 {
		if strings.Contains(host, ":") {
			return "[" + host + "]"
		}
		return host
	}
	return net.JoinHostPort(host, fmt.Sprint(port))
}

// certificateNames returns the names in a certificate that is in a file. serve has read it already.
func certificateNames(file string) []string {
	text, err := os.ReadFile(file)
	if file == "" || err != nil {
		return nil
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil
	}
	return leaf.DNSNames
}

// showQR prints a code of the best URL, if it fits into the columns of a terminal; 0 is any number.
func (f *reachFlags) showQR(w io.Writer, urls []string, columns int) {
	switch {
	case f.qr == "never":
		return
	case len(urls) == 0:
		if f.qr == "always" {
			fmt.Fprintln(w, "thresh: note: no QR code, because other machines do not reach this address; "+
				"--addr :8080 listens on all")
		}
		return
	}
	code, err := qrcode.New(urls[0])
	if err != nil {
		return // a URL that no camera could read either
	}
	if columns > 0 && code.Columns() > columns {
		if f.qr == "always" {
			fmt.Fprintf(w, "thresh: note: no QR code, because it takes %d columns\n", code.Columns())
		}
		return
	}
	// Standard error has the URL already.
	_ = code.Write(w)
}
