package docroot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// reads returns how many folders were read.
func reads(d *Root) uint64 { return d.listings.serial.Load() }

// settle makes the kept listing of the folder appear to be read long ago, at no cost.
func settle(d *Root, name string) *kept {
	k := d.listings.kept[name]
	k.cost, k.young = 0, false
	return k
}

func TestListingIsKept(t *testing.T) {
	leaveNothingOpen(t)
	dir := t.TempDir()
	write(t, dir, "sub/a", "A", "sub/b", "BB")
	setTime(t, filepath.Join(dir, "sub"), longAgo)
	s := serve(t, dir, Options{Revalidate: time.Hour})
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if l, err := s.List("/sub/"); err != nil || len(l.Items) != 2 {
				t.Error(l, err)
			}
		})
	}
	wg.Wait()
	settle(s, "sub")
	for _, path := range []string{"/sub/", "/sub", "//sub/."} {
		if l, err := s.List(path); err != nil || l != s.listings.kept["sub"].listing {
			t.Errorf("%s was read again: %v", path, err)
		}
	}
	if reads(s) != 1 {
		t.Errorf("a folder that did not change was read %d times", reads(s))
	}
	if l, err := s.Listed("/sub/"); l == nil || err != nil || reads(s) != 1 {
		t.Errorf("Listed does not return what is kept: %v", err)
	}

	// A new name, a lost name, and a folder in its place are seen at once.
	write(t, dir, "sub/c", "CCC")
	if l := must(s.List("/sub/")); len(l.Items) != 3 || reads(s) != 2 {
		t.Errorf("%d entries after %d reads", len(l.Items), reads(s))
	}
	settle(s, "sub")
	remove(t, dir, "sub/a")
	if l := must(s.List("/sub/")); len(l.Items) != 2 {
		t.Errorf("%d entries after a removal", len(l.Items))
	}
	settle(s, "sub")
	rename(t, dir, "sub", "old")
	write(t, dir, "sub/new", "N")
	if l := must(s.List("/sub/")); len(l.Items) != 1 || l.Items[0].Name != "new" {
		t.Errorf("another folder is listed as %v", l.Items)
	}
	settle(s, "sub")
	if err := os.RemoveAll(filepath.Join(dir, "sub")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.List("/sub/"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a folder that is gone: %v", err)
	}
}

// TestListingIsReadAgain: after a while because sizes change without the folder, at once if the
// folder was young, but never for more than half of the time.
func TestListingIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "f", "A")
	setTime(t, dir, longAgo)
	s := serve(t, dir, Options{Revalidate: time.Hour})
	must(s.List("/"))
	write(t, dir, "f", "longer")
	if l := must(s.List("/")); l.Items[0].Size != 1 {
		t.Fatal("the folder itself has changed")
	}
	k := settle(s, ".")
	k.read -= 2 * time.Hour
	if l := must(s.List("/")); l.Items[0].Size != 6 || l.Bytes != 6 {
		t.Errorf("after an hour the size is %d", l.Items[0].Size)
	}
	settle(s, ".").young = true
	if must(s.List("/")); reads(s) != 3 {
		t.Error("a young folder was not read again")
	}
	k = settle(s, ".")
	k.cost = time.Hour
	write(t, dir, "new", "N")
	if must(s.List("/")); reads(s) != 3 {
		t.Error("a folder that takes an hour to read was read again at once")
	}
	k.read -= 90 * time.Minute
	if l := must(s.List("/")); len(l.Items) != 2 {
		t.Error("a changed folder was not read again")
	}
	k = settle(s, ".")
	k.cost, k.read = time.Hour, k.read-3*time.Hour
	if must(s.List("/")); reads(s) != 4 {
		t.Error("a folder that takes an hour to read was read again after three")
	}
}

// TestListedReadsNothing: what a HEAD needs.
func TestListedReadsNothing(t *testing.T) {
	leaveNothingOpen(t)
	dir := t.TempDir()
	write(t, dir, "sub/a", "A")
	s := serve(t, dir, Options{})
	if l, err := s.Listed("/sub/"); l != nil || err != nil || reads(s) != 0 {
		t.Errorf("%v, %v after %d reads", l, err, reads(s))
	}
	for _, path := range []string{"/sub/a", "/none", "/../"} {
		if _, err := s.Listed(path); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestListingsAreBounded lists more folders than memory is set aside for.
func TestListingsAreBounded(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir, Options{Revalidate: time.Hour})
	const folders = 20
	for i := range folders {
		write(t, dir, fmt.Sprintf("%d/f", i), "")
	}
	for i := range folders {
		must(s.List(fmt.Sprintf("/%d/", i)))
		k := s.listings.kept[fmt.Sprint(i)]
		k.listing.bytes += listingsBytesMax / 4 // as if it had half a million entries
		s.listings.bytes += listingsBytesMax / 4
	}
	must(s.List("/0/"))
	if n := len(s.listings.kept); n > 5 || n < 4 || s.listings.recent.Len() != n || s.listings.bytes > listingsBytesMax*5/4 {
		t.Errorf("%d listings of %d bytes are kept", n, s.listings.bytes)
	}
	var sum int64
	for _, k := range s.listings.kept {
		sum += k.listing.bytes
	}
	if sum != s.listings.bytes {
		t.Errorf("%d bytes are kept, %d counted", sum, s.listings.bytes)
	}
}

func TestOrder(t *testing.T) {
	var items []Item
	for i, name := range []string{"c", "a", "b", "d"} {
		at := longAgo.Add(time.Duration(i%3) * time.Second)
		items = append(items, Item{Name: name, Size: int64(10 - i/2), Modified: at}, Item{Name: "F" + name, Folder: true, Modified: at})
	}
	l := newListing(items, 1)
	if l.Folders != 4 || l.Bytes != 10+10+9+9 {
		t.Errorf("%d folders, %d bytes", l.Folders, l.Bytes)
	}
	for _, c := range []struct {
		by   Column
		down bool
		want string
	}{
		{ByName, false, "Fa Fb Fc Fd a b c d"}, {ByName, true, "Fd Fc Fb Fa d c b a"},
		{BySize, false, "Fa Fb Fc Fd b d a c"}, {BySize, true, "Fa Fb Fc Fd a c b d"},
		{ByTime, false, "Fc Fd Fa Fb c d a b"}, {ByTime, true, "Fb Fa Fc Fd b a c d"},
	} {
		for range 2 {
			var names []string
			for _, at := range l.Order(c.by, c.down) {
				names = append(names, l.Items[at].Name)
			}
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("by %d, down %t: %s, not %s", c.by, c.down, got, c.want)
			}
		}
	}
	if !slices.IsSortedFunc(l.Items[4:], func(a, b Item) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the items are not sorted")
	}
}
