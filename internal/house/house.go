// Package house holds the tests that keep the house in order: which room may know which,
// and what a tidy file looks like. It has no code of its own.
package house
