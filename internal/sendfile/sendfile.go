// Package sendfile sends bytes of a file to a socket inside the kernel, from any offset.
package sendfile
