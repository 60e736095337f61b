package remote

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestRedirectCredentials redirects in all ways. The user and the password go to the server that they were given for,
// and to no other one; neither does the address, which may hold a signature.
func TestRedirectCredentials(t *testing.T) {
	data := []byte("one\ntwo\n")
	var seen requests
	note := func(w http.ResponseWriter, r *http.Request) {
		seen.add(r)
		serveRanges(data)(w, r)
	}
	other := httptest.NewServer(http.HandlerFunc(note))
	defer other.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/object", note)
	first := httptest.NewServer(mux)
	defer first.Close()
	back := httptest.NewServer(http.RedirectHandler(first.URL+"/object", http.StatusFound))
	defer back.Close()
	mux.HandleFunc("/from", func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "secret" {
			t.Error("the first request has no password")
		}
		http.Redirect(w, r, r.FormValue("to"), http.StatusTemporaryRedirect)
	})
	for _, test := range []struct {
		what, to string
		keeps    bool
	}{
		{"relative", "object", true},
		{"absolute", first.URL + "/object", true},
		{"absolute with a user", strings.Replace(first.URL, "//", "//you:own@", 1) + "/object", false},
		{"another port", other.URL + "/object", false},
		{"another name", strings.Replace(first.URL, "127.0.0.1", "localhost", 1) + "/object", false},
		{"there and back", back.URL, true},
	} {
		c := newClient(t, quick)
		name := strings.Replace(first.URL, "//", "//me:secret@", 1) + "/from?to=" + url.QueryEscape(test.to)
		if err := count(t, c, name, int64(len(data))); err != nil {
			t.Errorf("%s: %v", test.what, err)
		}
		for _, r := range seen.take() {
			user, password, _ := r.BasicAuth()
			if keeps := user == "me" && password == "secret"; keeps != test.keeps || r.Header.Get("Referer") != "" {
				t.Errorf("%s: %s got the user %q, Referer %q", test.what, r.Host, user, r.Header.Get("Referer"))
			}
		}
	}
}

// TestSameServer compares addresses.
func TestSameServer(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"https://h/x", "https://H:443/y", true},
		{"http://h:80/x", "http://h/", true},
		{"http://h/", "https://h/", false},
		{"http://h:443/", "https://h/", false},
		{"https://h/", "https://h:8443/", false},
		{"https://h/", "https://a.h/", false},
		{"https://[::1]/", "https://[::1]:443/", true},
	} {
		a, _ := url.Parse(test.a)
		b, _ := url.Parse(test.b)
		if sameServer(a, b) != test.same || sameServer(b, a) != test.same {
			t.Errorf("%s and %s: %v", test.a, test.b, !test.same)
		}
	}
}
