// Package manpage writes the manual pages of our programs. That needs a build with the tag man (make man): the
// library for it would add a fraction of a millisecond to every start.
package manpage
