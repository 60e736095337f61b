package copy

import (
	"io"
	"net"
	"path/filepath"

	"github.com/thresh-dev/thresh/relay"
	"github.com/thresh-dev/thresh/serve"
)

// productServe is this project's server of files, with what made the article's lose the
// path: it counts, for the access log and for its figures, and it keeps to a rate, which
// is out of reach.
func productServe() Variant {
	return Variant{ID: "serve", What: "thresh serve, with access log and rate limit", Path: BySendfile, asks: get,
		serve: func(l net.Listener, path string, complain func(error)) error {
			s, err := serve.New(filepath.Dir(path), serve.Options{
				ErrorLog: complain, AccessLog: io.Discard, LimitRate: 1 << 40,
			})
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
			r, err := relay.New(upstream, relay.Options{ErrorLog: complain})
			if err != nil {
				return err
			}
			return r.Serve(l)
		}}
}
