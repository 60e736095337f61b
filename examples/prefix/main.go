// Prefix serves a folder below a prefix of somebody's mux, with a password: prefix FOLDER NAME HASH.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/thresh-dev/thresh/serve"
	"github.com/thresh-dev/thresh/zerocopy"
)

func main() {
	files, err := serve.New(os.Args[1], serve.Options{
		Users:     map[string]string{os.Args[2]: os.Args[3]}, // a hash of bcrypt
		AccessLog: os.Stderr,
	})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/files/", http.StripPrefix("/files", files))
	mux.Handle("/metrics", files.Metrics())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "your own pages") })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr())
	keep := zerocopy.NewListener(l, func(net.Conn) zerocopy.Hooks { return zerocopy.Hooks{} }) // bodies go by sendfile
	log.Fatal(http.Serve(keep, mux))
}
