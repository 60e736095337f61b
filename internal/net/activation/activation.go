// Package activation returns the sockets that systemd handed over, listens where there are
// none, and tells systemd when the service is ready.
package activation

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

// Sockets are those that the service manager handed over, by the names that the program
// has for them.
type Sockets struct{ byName map[string]net.Listener }

// Inherit takes over the sockets of the environment (LISTEN_FDS). A socket belongs to the
// name that FileDescriptorName= of its unit gives it; one with a name that is not asked
// for, as systemd's own default is, to the first name. Each name has one socket at most.
// The variables are removed, so a second call finds nothing.
func Inherit(names ...string) (*Sockets, error) {
	s := &Sockets{byName: map[string]net.Listener{}}
	for _, f := range activation.Files(true) {
		name := names[0]
		for _, n := range names {
			if f.Name() == n {
				name = n
			}
		}
		err := s.add(name, f)
		if cerr := f.Close(); err == nil { // the listener has a copy
			err = cerr
		}
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

func (s *Sockets) add(name string, f *os.File) error {
	l, err := net.FileListener(f)
	if err != nil {
		return fmt.Errorf("socket %q of systemd: %w: the unit needs ListenStream= with a TCP port or a path", f.Name(), err)
	}
	if s.byName[name] != nil {
		return errors.Join(
			fmt.Errorf("systemd handed over two sockets for %q: give each its name by FileDescriptorName=", name), l.Close())
	}
	s.byName[name] = l
	return nil
}

// Has reports whether a socket of that name was handed over and not yet returned.
func (s *Sockets) Has(name string) bool { return s.byName[name] != nil }

// Listen returns the socket of that name, or, where none was handed over, listens on addr:
// host:port, or unix:PATH.
func (s *Sockets) Listen(name, addr string) (net.Listener, error) {
	if l := s.byName[name]; l != nil {
		delete(s.byName, name)
		return l, nil
	}
	network, address := "tcp", addr
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		network, address = "unix", path
		if err := removeStale(path); err != nil {
			return nil, listenError(addr, err)
		}
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, listenError(addr, err)
	}
	return l, nil
}

// Close closes the sockets that nobody asked for.
func (s *Sockets) Close() (err error) {
	for name, l := range s.byName {
		err = errors.Join(err, l.Close())
		delete(s.byName, name)
	}
	return err
}

// removeStale removes the socket file of a process that has ended: nobody answers there.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return nil // nothing to remove; what else is wrong, listening tells
	}
	if info.Mode().Type() != fs.ModeSocket {
		return errors.New("there is a file that is no socket; remove it, or choose another path")
	}
	c, err := net.Dial("unix", path)
	if err == nil {
		return errors.Join(syscall.EADDRINUSE, c.Close())
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return os.Remove(path)
	}
	return nil
}

// listenError says what to do about an address that cannot be had.
func listenError(addr string, err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	var advice string
	var dns *net.DNSError
	var form *net.AddrError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		advice = "another process listens there; end it, or choose another address"
	case errors.Is(err, fs.ErrPermission) && strings.HasPrefix(addr, "unix:"):
		advice = "the folder of the socket must be writable"
	case errors.Is(err, fs.ErrPermission):
		advice = "ports below 1024 are for root and for programs with CAP_NET_BIND_SERVICE; choose one above"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		advice = "this machine has no such address"
	case errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(addr, "unix:"):
		advice = "the folder of the socket must exist"
	case errors.As(err, &dns), errors.As(err, &form):
		advice = "an address is host:port, as 127.0.0.1:8080 or [::1]:8080, :port for all of this machine, or unix:PATH"
	default:
		return fmt.Errorf("listen on %s: %w", addr, err)
	}
	return fmt.Errorf("listen on %s: %w: %s", addr, err, advice)
}

// Ready tells the service manager that the service answers. Without one it does nothing.
func Ready() error { return notify(daemon.SdNotifyReady) }

// Stopping tells the service manager that the service ends.
func Stopping() error { return notify(daemon.SdNotifyStopping) }

func notify(state string) error {
	if _, err := daemon.SdNotify(false, state); err != nil {
		return fmt.Errorf("tell the service manager %s: %w", state, err)
	}
	return nil
}
