// Package a copies to the output of the program.
package a

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

func dial(network string) {
	conn, err := net.Dial("tcp", "localhost:80")
	if err != nil {
		return
	}
	io.Copy(os.Stdout, conn)                             // want `a copy from a connection to os.Stdout spins while the reader of a pipe stalls: hide its ReadFrom, struct\{ io.Writer \}\{os.Stdout\}`
	io.Copy(os.Stderr, conn)                             // want `os.Stderr spins`
	io.CopyN(os.Stdout, conn, 3)                         // want `os.Stdout spins`
	io.CopyBuffer(os.Stdout, conn, nil)                  // want `os.Stdout spins`
	io.Copy(os.Stdout, io.LimitReader(conn, 3))          // want `os.Stdout spins`
	io.Copy(os.Stdout, bufio.NewReader(conn))            // want `os.Stdout spins`
	io.Copy(os.Stdout, &io.LimitedReader{R: conn, N: 3}) // want `os.Stdout spins`
	os.Stdout.ReadFrom(conn)                             // want `os.Stdout spins`
	conn.(io.WriterTo).WriteTo(os.Stdout)                // want `os.Stdout spins`
	go io.Copy(os.Stdout, conn)                          // want `os.Stdout spins`

	io.Copy(struct{ io.Writer }{os.Stdout}, conn)
	io.Copy(os.Stdout, struct{ io.Reader }{conn})
	io.CopyN(os.Stdout, io.LimitReader(conn, 3), 3) // two limits: read and written
	io.CopyN(os.Stdout, bufio.NewReader(conn), 3)   // the limit hides its WriteTo
	io.Copy(io.MultiWriter(os.Stdout, os.Stderr), conn)
	io.Copy(os.Stdout, io.TeeReader(conn, os.Stderr))
	io.Copy(conn, os.Stdin)
	io.Copy(conn, os.Stdout)
	file, _ := os.Create("x")
	io.Copy(file, conn)
	any, _ := net.Dial(network, "x")
	io.Copy(os.Stdout, any) // may be a *net.UDPConn
	secret, _ := tls.Dial("tcp", "x", nil)
	io.Copy(os.Stdout, secret)
	resp, _ := http.Get("x")
	io.Copy(os.Stdout, resp.Body)
	var buf bytes.Buffer
	io.Copy(os.Stdout, &buf)
	io.Copy(os.Stdout, file)
	datagrams, _ := net.Dial("udp", "x")
	io.Copy(os.Stdout, datagrams)
	//thresh:ignore stalledstdout the reader is our own and never stalls
	io.Copy(os.Stdout, conn)
}

func sockets() {
	ln, _ := net.Listen("unix", "x")
	for {
		conn, _ := ln.Accept()
		go func() {
			defer conn.Close()
			io.Copy(os.Stdout, conn) // want `os.Stdout spins`
		}()
	}
}

func typed(conn *net.TCPConn) {
	out := os.Stdout
	io.Copy(out, conn) // want `os.Stdout spins`
}

func named(conn *net.TCPConn, name string) {
	var out io.Writer = os.Stdout
	if name != "" {
		out, _ = os.Create(name)
	}
	io.Copy(out, conn) // want `os.Stdout spins`
}

// either copies a connection to a file, or a file to the output.
func either(conn *net.TCPConn, file *os.File, receive bool) {
	var dst io.Writer = os.Stdout
	var src io.Reader = file
	if receive {
		dst, src = file, conn
	}
	io.Copy(dst, src)
}

// The helper's two calls never let a connection meet os.Stdout, those of copyAll do.
func helpers(conn *net.TCPConn, file *os.File) {
	send(conn, file)
	send(os.Stdout, file)
	go copyAll(os.Stdout, conn) // want `os.Stdout spins`
	copyAll(conn, os.Stdin)
}

func send(dst io.Writer, src io.Reader) { io.Copy(dst, src) }

func copyAll(dst io.Writer, src io.Reader) {
	if _, err := io.Copy(dst, src); err != nil {
		return
	}
}

// Other may get any connection.
func Other(conn net.Conn, w io.Writer) {
	io.Copy(os.Stdout, conn)
	io.Copy(w, conn)
}

type client struct {
	conn net.Conn
	out  io.Writer
}

func newClient() *client {
	conn, _ := net.DialTimeout("tcp", "x", time.Second)
	return &client{conn, os.Stdout}
}

func (c *client) run() {
	io.Copy(c.out, c.conn) // want `os.Stdout spins`
}

func generic[R io.Reader](src R) {
	io.Copy(os.Stdout, src) // want `os.Stdout spins`
}

func useGeneric(conn *net.TCPConn) { generic(conn) }

type connection = net.TCPConn

func aliased(conn *connection) {
	io.Copy(os.Stdout, conn) // want `os.Stdout spins`
}
