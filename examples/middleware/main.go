// Middleware counts the bytes of a file server's responses, which still go by sendfile: middleware FOLDER.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"

	"github.com/thresh-dev/thresh/zerocopy"
)

// counted passes requests on and counts the bytes of their responses.
func counted(next http.Handler, c *zerocopy.Counter) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(zerocopy.NewResponseWriter(w, r, zerocopy.Count(c)), r)
	})
}

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr())
	var c zerocopy.Counter
	server := http.Server{Handler: counted(http.FileServer(http.Dir(os.Args[1])), &c)}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	go func() {
		<-interrupted
		fmt.Println(c.Bytes(zerocopy.BySendfile), "of", c.Total(), "bytes by sendfile")
		server.Close()
	}()
	log.Print(server.Serve(l))
}
