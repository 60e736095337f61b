//go:build !unix

package measure

import "os/exec"

// ownGroup does nothing: when the context ends, only the command itself is killed.
func ownGroup(*exec.Cmd) {}
