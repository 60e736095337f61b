// Tlsrelay ends TLS in front of a program that speaks none: tlsrelay CERT KEY TARGET.
package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/thresh-dev/thresh/relay"
)

func main() {
	certificate, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	r, err := relay.New(os.Args[3], relay.Options{IdleTimeout: time.Minute, ErrorLog: func(err error) { log.Print(err) }})
	if err != nil {
		log.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, func() { r.Shutdown(context.Background()) })
	log.Print(r.Serve(l))
}
