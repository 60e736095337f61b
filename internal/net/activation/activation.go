// Package activation gets listening sockets from systemd, or listens itself if there are none, and
// notifies systemd when the service is ready.
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

// Sockets holds the sockets inherited from the service manager, under the names that the program
// uses.
type Sockets struct{ byName map[string]net.Listener }

// Inherit takes over the sockets of the environment (LISTEN_FDS). Each gets the name that
// FileDescriptorName= of its unit gives it. A socket with a name that is not among names, such as
// systemd's default name, gets the first of names. Two sockets of one name are an error. Inherit
// removes the environment variables, so a second call finds nothing.
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
		if cerr := f.Close(); err == nil { // the listener has a duplicate
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
			fmt.Errorf("systemd passed two sockets for %q: name each of them with FileDescriptorName=", name), l.Close())
	}
	s.byName[name] = l
	return nil
}

// Has reports whether a socket of that name was inherited and not yet returned by Listen.
func (s *Sockets) Has(name string) bool { return s.byName[name] != nil }

// Listen returns the inherited socket of that name. If there is none, it listens on addr, which is
// host:port or unix:PATH.
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

// Close closes the inherited sockets that Listen did not return.
func (s *Sockets) Close() (err error) {
	for name, l := range s.byName {
		err = errors.Join(err, l.Close())
		delete(s.byName, name)
	}
	return err
}

// removeStale removes the socket file of a process that has ended: connections to it are refused.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return nil // nothing to remove; net.Listen reports other errors
	}
	if info.Mode().Type() != fs.ModeSocket {
		return errors.New("there is a file that is not a socket; remove it, or choose another path")
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

// listenError adds a remedy to an error of net.Listen.
func listenError(addr string, err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	var advice string
	var dns *net.DNSError
	var addrErr *net.AddrError
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
	case errors.As(err, &dns), errors.As(err, &addrErr):
		advice = "an address is host:port, such as 127.0.0.1:8080 or [::1]:8080, :port for all interfaces, or unix:PATH"
	default:
		return fmt.Errorf("listen on %s: %w", addr, err)
	}
	return fmt.Errorf("listen on %s: %w: %s", addr, err, advice)
}

// Ready notifies the service manager that the service is ready. Without a service manager it does
// nothing.
func Ready() error { return notify(daemon.SdNotifyReady) }

// Stopping notifies the service manager that the service is stopping.
func Stopping() error { return notify(daemon.SdNotifyStopping) }

func notify(state string) error {
	if _, err := daemon.SdNotify(false, state); err != nil {
		return fmt.Errorf("notify the service manager of %s: %w", state, err)
	}
	return nil
}
