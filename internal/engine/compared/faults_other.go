//go:build !linux

package compared

// threadFaults returns false: the system does not tell.
func threadFaults() (int64, bool) { return 0, false }
