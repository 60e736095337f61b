package copy

import (
	"path/filepath"

	"github.com/thresh-dev/thresh/lab/peer"
)

// nginx sends the file by sendfile, with one worker and an access log. The article does not have it.
func nginx() variant {
	return variant{id: "nginx", what: "nginx, one worker, sendfile on, with access log", path: bySendfile, asks: get,
		other: &program{"nginx", func(address, target, temp string) ([]string, error) {
			const files = 512 // that a worker may open: far more than one client needs
			return peer.Nginx(address, filepath.Dir(target), temp, files)
		}}}
}

// haproxy relays by splice in one thread. The article does not have it.
func haproxy() variant {
	return variant{id: "haproxy", what: "HAProxy, a TCP relay with splice in one thread", path: bySplice,
		other: &program{"haproxy", peer.HAProxy}}
}
