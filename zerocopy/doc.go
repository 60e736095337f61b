// Package zerocopy wraps readers, writers and connections without losing sendfile and
// splice.
package zerocopy
