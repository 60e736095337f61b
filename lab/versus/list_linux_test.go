package versus

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestListing: all pages are read, each name counts once, and what is no listing is an error.
func TestListing(t *testing.T) {
	const pages, perPage = 3, 40
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, err := strconv.Atoi(r.URL.Query().Get("page"))
		if err != nil {
			page = 1
		}
		switch {
		case r.URL.Path == "/absent/":
			http.NotFound(w, r)
			return
		case r.URL.Path == "/endless/":
			page = 1
		case r.Header.Get("Accept") != "text/html":
			t.Errorf("accepts %q", r.Header.Get("Accept"))
		}
		if page < pages {
			w.Header().Set("Link", fmt.Sprintf(`<?page=1>; rel="first", <?page=%d>; rel="next"`, page+1))
		}
		for i := range perPage {
			name := fmt.Sprintf("entry-%06d.txt", (page-1)*perPage+i)
			if r.URL.Path == "/strange/" {
				name = "entry-x"
			}
			fmt.Fprintf(w, "<a href=%q>%s</a>\n", name, name)
		}
	}))
	defer s.Close()
	addr, self := strings.TrimPrefix(s.URL, "http://"), strconv.Itoa(os.Getpid())
	if w := runChild(t, "list", addr, "/", "text/html", "2", self); w.Bytes != 2*pages*perPage {
		t.Errorf("%d entries, want %d", w.Bytes, 2*pages*perPage)
	}
	for _, bad := range [][]string{
		{"list", addr, "/absent/", "text/html", "1", self},
		{"list", addr, "/endless/", "text/html", "1", self},
		{"list", addr, "/strange/", "text/html", "1", self},
		{"list", addr, "/", "text/html", "1", "none"},
		{"list", addr, "/", "text/html", "-1", self},
	} {
		if err := child(bad, io.Discard); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
