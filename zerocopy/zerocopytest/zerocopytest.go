// Package zerocopytest fails a test whose transfer left the fast path.
package zerocopytest
