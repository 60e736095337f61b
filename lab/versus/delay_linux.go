package versus

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// delayed relays connections like a long way: what is sent arrives later, and no more than a window is on its way
// per direction, as with a sender that waits for acknowledgements. So a connection brings a window in each round
// trip. A small window stands for loss: with a share p of packets lost, the window of Reno is 1.22/sqrt(p) packets
// on average (Mathis and others, 1997).
type delayed struct {
	to     string
	oneWay time.Duration
	window int // bytes
}

// lossyWindow is that window for 1 % of packets of 1460 bytes.
const lossyWindow = 17_800

// delayedParts is how many parts of a window are on their way one behind the other.
const delayedParts = 4

func (d delayed) run(addr string) error {
	l, err := net.Listen("tcp4", addr)
	if err != nil {
		return err
	}
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go d.relay(conn)
	}
}

// relay passes both directions on until both have ended.
func (d delayed) relay(client net.Conn) {
	defer client.Close()
	time.Sleep(2 * d.oneWay) // of the handshake
	server, err := net.Dial("tcp4", d.to)
	if err != nil {
		return // the client sees the end
	}
	defer server.Close()
	var wg sync.WaitGroup
	wg.Go(func() { d.pass(server, client) })
	wg.Go(func() { d.pass(client, server) })
	wg.Wait()
}

// flight is a part of the window. At the given time it may be used again, or arrives.
type flight struct {
	at  time.Time
	buf []byte
	n   int
}

// pass passes one direction on.
func (d delayed) pass(to, from net.Conn) {
	free, sent := make(chan flight, delayedParts), make(chan flight, delayedParts)
	for range delayedParts {
		free <- flight{buf: make([]byte, d.window/delayedParts)}
	}
	go func() {
		defer close(sent)
		for f := range free {
			time.Sleep(time.Until(f.at))
			n, err := from.Read(f.buf)
			if n > 0 {
				sent <- flight{time.Now().Add(d.oneWay), f.buf, n}
			}
			if err != nil {
				return
			}
		}
	}()
	var err error
	for f := range sent {
		if err == nil {
			time.Sleep(time.Until(f.at))
			_, err = to.Write(f.buf[:f.n])
		}
		if err != nil {
			from.Close() // ends the reader
		}
		free <- flight{at: time.Now().Add(d.oneWay), buf: f.buf}
	}
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		err = errors.Join(err, half.CloseWrite())
	}
	if err != nil && !errors.Is(err, io.EOF) {
		to.Close() // a broken connection is broken for both
	}
}
