//go:build !unix

package minify

import "os"

// writableAnywhere reports false: this system does not tell whether a file was opened for appending.
func writableAnywhere(*os.File) bool { return false }
