package relay

import (
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A reset overtakes what a socket has not sent yet. So before the relay passes on a reset, it lets the
// bytes before it arrive, as they would have without a relay. A reader that has stopped cannot hold it up.
const (
	settleMax   = time.Second
	settlePause = time.Millisecond
	// A socket that has sent nothing for so many pauses in a row is not waited for.
	settleStill = 100
)

// settle waits until the sockets have sent all they hold, or stop sending.
func settle(conns ...net.Conn) {
	for _, c := range conns {
		raw := rawConn(c)
		if raw == nil {
			continue
		}
		before, still := -1, 0
		for began := time.Now(); time.Since(began) < settleMax && still < settleStill; still++ {
			now := unsent(raw)
			if now == 0 {
				break
			}
			if now != before {
				before, still = now, 0
			}
			time.Sleep(settlePause)
		}
	}
}

// unsent returns how many bytes the other side has not acknowledged yet, 0 also for a closed socket.
func unsent(c syscall.RawConn) (n int) {
	_ = c.Control(func(fd uintptr) {
		if held, err := unix.IoctlGetInt(int(fd), unix.SIOCOUTQ); err == nil {
			n = held
		}
	})
	return n
}

// watchSource waits, after the end of the source's stream, until the source is reset, and returns that
// error; nil if the pair ends before. Nothing else notices a reset while the other side has nothing to send.
func (d *direction) watchSource() (failed error) {
	if d.raw == nil {
		return nil
	}
	// The runtime wakes the function whenever something happens to the socket.
	err := d.raw.src.Read(func(fd uintptr) (done bool) {
		code, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR)
		switch {
		case err != nil:
			failed = err
		case code != 0:
			failed = syscall.Errno(code)
		}
		return failed != nil
	})
	if err != nil {
		return nil // it was closed: the pair has ended
	}
	return failed
}
