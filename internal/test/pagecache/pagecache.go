// Package pagecache is for tests that set up what is in the page cache. They are skipped where that cannot
// be done, as on file systems in memory. With THRESH_PAGE_CACHE=require, which make test sets on the usual
// file systems of disks, they fail instead, so that none of them is skipped unseen.
package pagecache

import (
	"fmt"
	"os"
	"testing"
)

// Unusable skips a test that could not set up the page cache, or fails it where that is required.
func Unusable(t testing.TB, format string, args ...any) {
	t.Helper()
	reason := "the page cache cannot be set up here: " + fmt.Sprintf(format, args...)
	if os.Getenv("THRESH_PAGE_CACHE") == "require" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// Tried tries a few times to set the page cache up, and reports whether it could: the system may take pages back at any
// moment.
func Tried(set func() bool) bool {
	for range 5 {
		if set() {
			return true
		}
	}
	return false
}
