package walls

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// exchange talks to $SERVER, which does not go on:
//
//	poll    sends until nothing more fits, and polls for reading and writing at once
//	answer  sends until nothing more fits, and polls for an answer only
//	write   sends more than fits, from a runtime that registers both directions with epoll
//	ask     sends little, and waits for the answer in the same way
func exchange(how string) {
	conn, err := net.Dial("tcp", os.Getenv("SERVER"))
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	switch how {
	case "write":
		_, _ = conn.Write(make([]byte, 64<<20)) // until the server ends
	case "ask":
		if _, err := conn.Write(make([]byte, 64<<10)); err == nil {
			_, _ = conn.Read(make([]byte, 10))
		}
	case "poll":
		pollWhenFull(conn.(*net.TCPConn), unix.POLLIN|unix.POLLOUT)
	case "answer":
		pollWhenFull(conn.(*net.TCPConn), unix.POLLIN)
	}
}

// pollWhenFull sends and polls in turn until the connection ends.
func pollWhenFull(conn *net.TCPConn, events int16) {
	f, err := conn.File()
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fd := int(f.Fd())
	if err := unix.SetNonblock(fd, true); err != nil {
		panic(err)
	}
	piece := make([]byte, 64<<10)
	for {
		switch _, err := unix.Write(fd, piece); err {
		case nil, unix.EINTR:
		case unix.EAGAIN:
			if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: events}}, -1); err != nil && err != unix.EINTR {
				panic(err)
			}
		default:
			return
		}
	}
}
