//go:build !linux

package serve

// cork does nothing: only Linux sends a cork's bytes after a bounded time.
func (w *reply) cork(bool) {}
