// Package copies has calls that copy.
package copies

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

func all(c *net.TCPConn, f *os.File, p net.PacketConn) {
	io.Copy(c, f)            // = io.Copy: tcp *net.TCPConn <- file *os.File
	io.CopyN(c, f, 3)        // = io.CopyN: tcp *net.TCPConn <- file *os.File
	io.CopyBuffer(c, f, nil) // = io.CopyBuffer: tcp *net.TCPConn <- file *os.File
	c.ReadFrom(f)            // = (*net.TCPConn).ReadFrom: tcp *net.TCPConn <- file *os.File
	f.WriteTo(c)             // = (*os.File).WriteTo: tcp *net.TCPConn <- file *os.File
	go io.Copy(f, c)         // = io.Copy: file *os.File <- tcp *net.TCPConn
	defer io.Copy(f, c)      // = io.Copy: file *os.File <- tcp *net.TCPConn
	var w io.Writer = c
	w.(io.ReaderFrom).ReadFrom(f)  // = (io.ReaderFrom).ReadFrom: tcp *net.TCPConn <- file *os.File
	new(bytes.Buffer).WriteTo(w)   // = (*bytes.Buffer).WriteTo: tcp *net.TCPConn <- *bytes.Buffer
	bufio.NewWriter(c).ReadFrom(f) // = (*bufio.Writer).ReadFrom: *bufio.Writer <- file *os.File
	p.ReadFrom(nil)
	copies := io.Copy
	copies(c, f) // = io.Copy: tcp *net.TCPConn <- file *os.File
	read := c.ReadFrom
	read(f)
}

func handler(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("x")
	var t time.Time
	http.ServeContent(w, r, "x", t, f) // = net/http.ServeContent: response net/http.ResponseWriter <- file *os.File
}

type embeds struct{ *net.TCPConn }

func promoted(e embeds, f *os.File) {
	e.ReadFrom(f) // = (*net.TCPConn).ReadFrom: tcp *net.TCPConn <- file *os.File
	io.Copy(e, f) // = io.Copy: embeds <- file *os.File
}

func typed[W io.Writer](w W, f *os.File) {
	io.Copy(w, f) // = io.Copy: tcp *net.TCPConn <- file *os.File
}

func callsTyped(c *net.TCPConn, f *os.File) { typed(c, f) }
