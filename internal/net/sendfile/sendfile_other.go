//go:build !linux

package sendfile

import "errors"

// Send returns errors.ErrUnsupported: this system's call, where there is one, differs in
// what it does to the offset and to the bytes that went before an error.
func (s *Sender) Send(off, n int64) (Sent, error) { return Sent{}, errors.ErrUnsupported }

// SendNext returns errors.ErrUnsupported, as Send does.
func (s *Sender) SendNext(n int64) (Sent, error) { return Sent{}, errors.ErrUnsupported }
