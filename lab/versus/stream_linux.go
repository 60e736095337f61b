package versus

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/lab/processes"
)

// A relay is between an upstream, which sends a requested number of bytes, and a client, which discards
// them. All three are separate processes.

// streamBlock is what an upstream sends repeatedly: byte i of an answer is byte i modulo the block's
// length. The length is a prime, so that no piece can be mistaken for another.
func streamBlock() []byte {
	const primeBytes = 1_048_573
	block := make([]byte, primeBytes)
	random := rand.NewChaCha8([32]byte{})
	random.Read(block) // never fails
	return block
}

// accepted calls do in a goroutine for each connection to addr, until ctx ends or a call fails.
func accepted(ctx context.Context, addr string, do func(conn *net.TCPConn) error) error {
	l, err := net.Listen("tcp4", addr)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	context.AfterFunc(ctx, func() { l.Close() }) // ends Accept
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		conn, err := l.Accept()
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return err
		}
		wg.Go(func() {
			defer conn.Close() // the answer is complete or has failed
			if err := do(conn.(*net.TCPConn)); err != nil && !gone(err) {
				cancel(err)
			}
		})
	}
}

// gone reports whether an error means that the other end has closed the connection, as clients may.
func gone(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// upstream answers requests. A request is a number of bytes, in 8 bytes.
func upstream(ctx context.Context, addr string) error {
	block := streamBlock()
	return accepted(ctx, addr, func(conn *net.TCPConn) error {
		var request [8]byte
		for {
			if _, err := io.ReadFull(conn, request[:]); err != nil {
				if err == io.EOF {
					return nil
				}
				return err
			}
			for off, n := int64(0), int64(binary.BigEndian.Uint64(request[:])); off < n; {
				from := off % int64(len(block))
				took, err := conn.Write(block[from:min(int64(len(block)), from+n-off)])
				off += int64(took)
				if err != nil {
					return err
				}
			}
		}
	})
}

// copyRelay relays connections like most relays in Go do with wrapped connections: with a copy loop of
// 32 KiB in each direction.
func copyRelay(ctx context.Context, addr, to string) error {
	return accepted(ctx, addr, func(conn *net.TCPConn) error {
		target, err := net.Dial("tcp4", to)
		if err != nil {
			return err
		}
		defer target.Close() // both directions have ended
		var wg sync.WaitGroup
		wg.Go(func() { copyLoop(target.(*net.TCPConn), conn) })
		wg.Go(func() { copyLoop(conn, target.(*net.TCPConn)) })
		wg.Wait()
		return nil
	})
}

// copyLoop copies until its source or its destination ends, and forwards that to the other side.
func copyLoop(dst, src *net.TCPConn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		if _, werr := dst.Write(buf[:n]); werr != nil {
			src.CloseRead() // tells the sender
			break
		}
		if err != nil {
			break
		}
	}
	dst.CloseWrite()
}

// stream is a client of a relay.
type stream struct {
	addr  string
	conns int   // number of busy connections
	bytes int64 // bytes requested over each of them
	idle  int   // number of connections that were busy before and stay open
	check bool  // compare each byte; otherwise only count them
	pids  []int // of the relay
}

// busyBytes is how much is first requested over each connection, busy or idle. It is more than a relay
// may copy before it starts to splice.
const busyBytes = 512 << 10

func (s stream) run(stdout io.Writer) error {
	idle, err := dialAll(s.addr, s.idle)
	defer closeAll(idle) // read only
	if err != nil {
		return fmt.Errorf("idle connection %d: %w", len(idle), err)
	}
	conns, err := dialAll(s.addr, s.conns)
	defer closeAll(conns) // all was read
	if err != nil {
		return fmt.Errorf("connection %d: %w", len(conns), err)
	}
	warm := func(conn *net.TCPConn) (int64, error) { return s.take(conn, busyBytes) }
	for _, some := range [][]*net.TCPConn{idle, conns} {
		if _, err := each(some, warm); err != nil {
			return err
		}
	}
	return clocked(stdout, s.pids, func() (int64, error) {
		return each(conns, func(conn *net.TCPConn) (int64, error) { return s.take(conn, s.bytes) })
	})
}

// take requests n bytes and receives them.
func (s stream) take(conn *net.TCPConn, n int64) (int64, error) {
	// The deadline distinguishes a relay that hangs from a slow one.
	if err := conn.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		return 0, err
	}
	if _, err := conn.Write(binary.BigEndian.AppendUint64(nil, uint64(n))); err != nil {
		return 0, err
	}
	if !s.check {
		return processes.Discard(conn, n, make([]byte, discardBytes))
	}
	block := streamBlock()
	buf := make([]byte, len(block))
	for off := int64(0); off < n; off += int64(len(block)) {
		part := buf[:min(int64(len(buf)), n-off)]
		if _, err := io.ReadFull(conn, part); err != nil {
			return off, err
		}
		if !bytes.Equal(part, block[:len(part)]) {
			return off, fmt.Errorf("wrong bytes after byte %d", off)
		}
	}
	return n, nil
}
