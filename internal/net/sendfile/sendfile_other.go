//go:build !linux

package sendfile

import "errors"

// Send returns errors.ErrUnsupported: this system's call, if it has one, treats offsets, and bytes
// sent before an error, differently.
func (s *Sender) Send(off, n int64) (Sent, error) { return Sent{}, errors.ErrUnsupported }

// SendNext returns errors.ErrUnsupported, as Send does.
func (s *Sender) SendNext(n int64) (Sent, error) { return Sent{}, errors.ErrUnsupported }
