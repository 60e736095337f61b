// Command server puts it together.
package main

import (
	"log"
	"net"
	"net/http"

	"example.com/program/chain"
	"example.com/program/harmless"
	"example.com/program/middleware"
	"example.com/program/proxy"
	"example.com/program/relay"
	"example.com/program/serve"
	"example.com/program/store"
	"example.com/program/tunnel"
	"example.com/program/upload"
	"example.com/program/vfs"
)

func main() {
	mux := http.NewServeMux()
	mux.Handle("/upload/", upload.New(store.Folder("/srv/")))
	mux.Handle("/files/", serve.Recorded(serve.New(vfs.Disk{})))
	mux.HandleFunc("/sized", serve.Sized)
	mux.Handle("/json", harmless.JSON())
	mux.Handle("/assets/", harmless.Assets())
	mux.HandleFunc("/page", harmless.Page)
	mux.Handle("/static/", chain.Then(http.FileServer(http.Dir("/srv")), chain.Status, chain.Sizes))
	middleware.Routes(mux, "/srv")
	if p, err := proxy.New("file:///srv/", "http://localhost:8083/app"); err == nil {
		mux.Handle("/proxy/", p)
	}
	if l, err := net.Listen("tcp", ":8084"); err == nil {
		go new(relay.Relay).Serve(l)
	}
	go join()
	log.Fatal(http.ListenAndServe(":8080", mux))
}

func join() {
	l, err := net.Listen("tcp", ":8081")
	if err != nil {
		log.Fatal(err)
	}
	var n int64
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", "localhost:8082")
		if err != nil {
			return
		}
		var s tunnel.Stream = &tunnel.Relay{To: to}
		go s.Join(tunnel.Count(c, &n))
	}
}
