package copy

import (
	"net"
	"path/filepath"

	"github.com/thresh-dev/thresh/relay"
	"github.com/thresh-dev/thresh/serve"
)

// productServe is this project's server of files.
func productServe() Variant {
	return Variant{ID: "serve", What: "thresh serve", Path: BySendfile, asks: get,
		serve: func(l net.Listener, path string, complain func(error)) error {
			s, err := serve.New(filepath.Dir(path), serve.Options{Complain: complain})
			if err != nil {
				return err
			}
			return s.Serve(l)
		}}
}

// productRelay is this project's relay.
func productRelay() Variant {
	return Variant{ID: "relay", What: "thresh relay", Path: BySplice,
		serve: func(l net.Listener, upstream string, complain func(error)) error {
			r, err := relay.New(upstream, relay.Options{Complain: complain})
			if err != nil {
				return err
			}
			return r.Serve(l)
		}}
}
