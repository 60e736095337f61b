// Command shapes serves a file by copies as people write them, flagged by a rule, and as they are mended.
// Package proof runs it: it counts the system calls of each, and gives this same source to the rules. A
// comment "want RULE" stands at each line that a rule must report; no other may be.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
)

// server serves target to each client that connects: a file, or the address of a server that a relay
// takes its bytes from.
type server func(l net.Listener, target string) error

// shape is a copy, flagged and mended.
type shape struct{ flagged, fixed server }

// shapes are the copies by the name of the file that they are in.
var shapes = map[string]shape{
	"bypassedoverride":   {raw(bypassedFlagged), raw(bypassedFixed)},
	"connwrapper":        {connFlagged, connFixed},
	"doublecount":        {raw(doubleFlagged), raw(doubleFixed)},
	"foundartifact":      {web(artifactFlagged), web(artifactFixed)},
	"foundecho":          {web(echoFlagged), web(echoFixed)},
	"foundgin":           {web(ginFlagged), web(ginFixed)},
	"foundginfs":         {ginFilesFlagged, ginFilesFixed},
	"foundidle":          {web(idleFlagged), web(idleFixed)},
	"foundlimit":         {limitFlagged, limitFixed},
	"foundmetrics":       {web(metricsFlagged), web(metricsFixed)},
	"foundnogzip":        {web(noGzipFlagged), web(noGzipFixed)},
	"foundrestful":       {web(restfulFlagged), web(restfulFixed)},
	"foundtee":           {web(teeFlagged), web(teeFixed)},
	"foundthrottle":      {throttleFlagged, throttleFixed},
	"hiddenfile":         {hiddenFlagged, hiddenFixed},
	"hiddenreader":       {raw(readerFlagged), raw(readerFixed)},
	"hiddensection":      {web(sectionFlagged), web(sectionFixed)},
	"ignoredbuffer":      {raw(bufferFlagged), raw(bufferFixed)},
	"missingencodinglen": {web(encodedFlagged), web(encodedFixed)},
	"missinglength":      {web(lengthFlagged), web(lengthFixed)},
	"nestedlimit":        {web(nestedFlagged), web(nestedFixed)},
	"plain":              {raw(send), raw(send)},
	"relayedconn":        {relay(relayedFlagged), relay(relayedFixed)},
	"responsewrapper":    {web(responseFlagged), web(responseFixed)},
	"stalledstdout":      {relay(stalledFlagged), relay(stalledFixed)},
}

// message is what the program writes to its third descriptor: its address, and, when its standard input
// is closed, what it has used.
type message struct {
	Address string
	Seconds float64 // of processor time
	Counted int64   // what the shape's own counter says
	Errors  int64
}

// counted is the counter of shapes that count; failures the number of transfers that failed.
var counted, failures atomic.Int64

func main() {
	if err := serve(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve serves target by a shape until standard input is closed.
func serve(name, variant, target string) error {
	s, ok := shapes[name]
	if !ok {
		return fmt.Errorf("no shape %q", name)
	}
	run := s.fixed
	if variant == "flagged" {
		run = s.flagged
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.NewFile(3, "messages"))
	if err := out.Encode(message{Address: l.Addr().String()}); err != nil {
		return err
	}
	go func() {
		if err := run(l, target); err != nil {
			failures.Add(1)
		}
	}()
	if _, err := io.ReadAll(os.Stdin); err != nil {
		return err
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return err
	}
	seconds := float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
	return out.Encode(message{Seconds: seconds, Counted: counted.Load(), Errors: failures.Load()})
}

// web serves by a handler for the file.
func web(handler func(name string) http.HandlerFunc) server {
	return func(l net.Listener, name string) error { return http.Serve(l, handler(name)) }
}

// raw serves by a function that sends the file to a connection whose request has been read.
func raw(send func(c *net.TCPConn, f *os.File) error) server {
	return accepted(func(c *net.TCPConn, name string) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		return errors.Join(send(c, f), f.Close())
	})
}

// relay serves by a function that sends what another server sends.
func relay(pass func(dst, src *net.TCPConn) error) server {
	return accepted(func(c *net.TCPConn, address string) error {
		up, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(up, "GET / HTTP/1.1\r\n\r\n"); err != nil {
			return err
		}
		return errors.Join(pass(c, up.(*net.TCPConn)), up.Close())
	})
}

func accepted(serve func(c *net.TCPConn, target string) error) server {
	return func(l net.Listener, target string) error {
		for {
			c, err := l.Accept()
			if err != nil {
				return err
			}
			go func() {
				err := errors.Join(request(c), serve(c.(*net.TCPConn), target))
				if err != nil {
					failures.Add(1) // before the client can see the end
				}
				if err := errors.Join(err, c.Close()); err != nil {
					fmt.Fprintln(os.Stderr, err)
				}
			}()
		}
	}
}

// request reads a request, which ends with an empty line.
func request(c net.Conn) error {
	lines := bufio.NewReader(c)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil || len(bytes.TrimSpace(line)) == 0 {
			return err
		}
	}
}

// send is the path itself.
func send(c *net.TCPConn, f *os.File) error {
	_, err := io.Copy(c, f)
	return err
}
