// Package architecture holds the tests of the repository's shape: which package may import which,
// and what a tidy file looks like. It has no code of its own.
package architecture
