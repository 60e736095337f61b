package relay_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/relay"
)

// A relay between two listeners: clients connect to the one, and the program behind the other
// answers. Canceling the context stops the relay, which gives open connections 5 s to end.
func Example() {
	backend, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer backend.Close()
	go answerInCapitals(backend)

	r, err := relay.New(backend.Addr().String(), relay.Options{
		IdleTimeout: time.Minute,
		ErrorLog:    func(err error) { log.Print(err) },
	})
	if err != nil {
		log.Fatal(err)
	}
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() {
		drain, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		stopped <- r.Shutdown(drain)
	})
	served := make(chan error, 1)
	go func() { served <- r.Serve(front) }()

	fmt.Print(ask(front.Addr().String(), "hello\n"))
	cancel()
	fmt.Println("shutdown error:", <-stopped)
	fmt.Println("stopped as asked:", errors.Is(<-served, net.ErrClosed))
	s := r.Stats()
	fmt.Println(s.Connections, "connection,", s.Bytes, "bytes")
	// Output:
	// HELLO
	// shutdown error: <nil>
	// stopped as asked: true
	// 1 connection, 12 bytes
}

// ask sends one line and returns the answer.
func ask(addr, line string) string {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprint(conn, line); err != nil {
		log.Fatal(err)
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		log.Fatal(err)
	}
	return answer
}

// answerInCapitals serves one connection.
func answerInCapitals(l net.Listener) {
	conn, err := l.Accept()
	if err != nil {
		log.Print(err)
		return
	}
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		fmt.Fprintln(conn, strings.ToUpper(lines.Text()))
	}
}

// New refuses a target or an option with a *failure.OptionError, which names it.
func Example_optionError() {
	_, err := relay.New("localhost:9000", relay.Options{MaxConns: -1})
	if wrong, ok := errors.AsType[*failure.OptionError](err); ok {
		fmt.Println("wrong:", wrong.Field)
	}
	fmt.Println(err)
	// Output:
	// wrong: MaxConns
	// relay: MaxConns -1: must not be negative
}
