package zerocopy_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"

	"github.com/thresh-dev/thresh/zerocopy"
)

// stage makes the ends of a case, and removes them.
type stage struct {
	dir   string
	doors []func()

	// The results of a handler.
	route    zerocopy.Route
	uploaded int64

	sum  hash.Hash // of what arrived
	path string    // of the file at which it arrived
}

// digest returns the digest of what arrived, after strike.
func (s *stage) digest() string {
	if s.path != "" {
		return fmt.Sprintf("%x", sha256.Sum256(must(os.ReadFile(s.path))))
	}
	if s.sum == nil {
		return ""
	}
	return fmt.Sprintf("%x", s.sum.Sum(nil))
}

// drain reads r to its end into the digest, and strike waits for that after end.
func (s *stage) drain(r io.Reader, end func()) {
	s.sum = sha256.New()
	done := make(chan struct{})
	go func() {
		io.Copy(s.sum, struct{ io.Reader }{r})
		close(done)
	}()
	s.doors = append(s.doors, func() {
		end()
		<-done
	})
}

func (s *stage) strike() {
	for _, door := range slices.Backward(s.doors) {
		door()
	}
}

const (
	fileBytes = 4 << 20
	feedBytes = 1 << 20
)

// pattern returns n bytes that are the same every time.
func pattern(n int) []byte {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(p)
	return p
}

// file returns an open file of 4 MiB.
func (s *stage) file() *os.File {
	path := filepath.Join(s.dir, "data")
	if _, err := os.Stat(path); err != nil {
		if err := os.WriteFile(path, pattern(fileBytes), 0o600); err != nil {
			panic(err)
		}
	}
	return s.keep(must(os.Open(path)))
}

func (s *stage) keep(f *os.File) *os.File {
	s.doors = append(s.doors, func() { f.Close() })
	return f
}

// target returns a file to write to.
func (s *stage) target(flags int) *os.File {
	s.path = filepath.Join(s.dir, "target")
	return s.keep(must(os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|flags, 0o600)))
}

func (s *stage) connect(network string) (near, far net.Conn) {
	addr := "127.0.0.1:0"
	if network == "unix" {
		addr = filepath.Join(s.dir, "s")
	}
	l := must(net.Listen(network, addr))
	defer l.Close()
	near = must((&net.Dialer{}).DialContext(context.Background(), network, l.Addr().String()))
	far = must(l.Accept())
	s.doors = append(s.doors, func() { near.Close(); far.Close() })
	return near, far
}

// sink returns a connection whose peer reads everything.
func (s *stage) sink(network string) net.Conn {
	near, far := s.connect(network)
	s.drain(far, func() { near.Close() })
	return near
}

func (s *stage) tcp() *net.TCPConn   { return s.sink("tcp").(*net.TCPConn) }
func (s *stage) unix() *net.UnixConn { return s.sink("unix").(*net.UnixConn) }

// feed returns a connection that receives 1 MiB.
func (s *stage) feed(network string) net.Conn {
	near, far := s.connect(network)
	go func() {
		far.Write(pattern(feedBytes))
		far.Close()
	}()
	return near
}

func (s *stage) feedTCP() *net.TCPConn { return s.feed("tcp").(*net.TCPConn) }
