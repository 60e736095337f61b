package section

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReplace(t *testing.T) {
	for _, c := range []struct{ page, body, want string }{
		{"a\n<!-- x -->\nb\n", "new", "a\n<!-- x -->\nnew\n<!-- end of x -->\nb\n"},
		{"a\n<!-- x -->\nold\n<!-- end of x -->\nb\n", "new\n\n", "a\n<!-- x -->\nnew\n<!-- end of x -->\nb\n"},
		{"<!-- x -->\n<!-- end of x -->\n<!-- y -->\n", "1\n2", "<!-- x -->\n1\n2\n<!-- end of x -->\n<!-- y -->\n"},
	} {
		got, err := Replace(c.page, "x", c.body)
		if err != nil || got != c.want {
			t.Errorf("%q: %q, %v, not %q", c.page, got, err, c.want)
		}
		if again, err := Replace(got, "x", c.body); err != nil || again != got {
			t.Errorf("%q: the second time %q, %v", c.page, again, err)
		}
	}
	for _, page := range []string{"", "<!-- xy -->\n", "<!-- x -->\n<!-- x -->\n"} {
		if got, err := Replace(page, "x", ""); err == nil {
			t.Errorf("%q: no error, but %q", page, got)
		}
	}
}

func TestOf(t *testing.T) {
	if got, ok := Of("<!-- x -->\n1\n2\n<!-- end of x -->\n", "x"); !ok || got != "1\n2\n" {
		t.Errorf("%q, %v", got, ok)
	}
	if _, ok := Of("<!-- x -->\n1\n", "x"); ok {
		t.Error("a part without an end")
	}
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte("<!-- x -->\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, "x", "1"); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "<!-- x -->\n1\n<!-- end of x -->\n" {
		t.Errorf("%q, %v", text, err)
	}
	if err := Write(path, "y", "1"); err == nil {
		t.Error("no error without the line")
	}
	if err := Write(path+"x", "y", "1"); err == nil {
		t.Error("no error without the file")
	}
}
