//go:build !linux

package measure

import "errors"

// touchFaults returns errors.ErrUnsupported on this system.
func touchFaults(string) (float64, error) { return 0, errors.ErrUnsupported }
