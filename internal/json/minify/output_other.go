//go:build !unix

package minify

import "os"

// writableAnywhere: whether a file was opened to be appended to cannot be asked here.
func writableAnywhere(*os.File) bool { return false }
