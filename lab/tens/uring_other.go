//go:build !linux

package tens

import "os"

func countRings(string, int) (int64, error) { return 0, nil }

// openDirect opens a file. How it is read does not matter: the time does not include it.
func openDirect(path string) (*os.File, error) { return os.Open(path) }
