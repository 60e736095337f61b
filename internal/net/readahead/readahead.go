// Package readahead has the kernel read the beginning of a file at once.
//
// Left alone, the kernel begins each file with a few small pages, waits for them, and reads more and
// in larger pages with each step. Files of a few MiB never get beyond the first steps. A mapping for
// which huge pages are wanted makes it begin with large reads into large pages, and they also
// serve sendfile, which takes a page at a time.
package readahead
