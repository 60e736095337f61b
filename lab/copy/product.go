package copy

import (
	"io"
	"net"
	"path/filepath"

	"github.com/thresh-dev/thresh/relay"
	"github.com/thresh-dev/thresh/serve"
)

// productServe is this project's file server, with the features that lose sendfile in the article: it
// counts bytes, for the access log and for its metrics, and it has a rate limit, though one too high
// to matter.
func productServe() variant {
	return variant{id: "serve", what: "thresh serve, with access log and rate limit", path: bySendfile, product: true,
		asks: get,
		serve: func(l net.Listener, path string, logError func(error)) error {
			s, err := serve.New(filepath.Dir(path), serve.Options{
				ErrorLog: logError, AccessLog: io.Discard, LimitRate: 1 << 40,
			})
			if err != nil {
				return err
			}
			return s.Serve(l)
		}}
}

// productRelay is this project's relay.
func productRelay() variant {
	return variant{id: "relay", what: "thresh relay", path: bySplice, product: true,
		serve: func(l net.Listener, upstream string, logError func(error)) error {
			r, err := relay.New(upstream, relay.Options{ErrorLog: logError})
			if err != nil {
				return err
			}
			return r.Serve(l)
		}}
}
