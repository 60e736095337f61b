package qrcode

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"rsc.io/qr/coding"
)

// TestAgainstOthers compares with codes that two Python programs made: the modules are those of qrcode
// 8.2 for bytes, with error correction L and every mask; the penalties are those of segno 1.6.6.
func TestAgainstOthers(t *testing.T) {
	golden, err := os.ReadFile("testdata/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]int{}
	modules := map[string]string{} // of the code with the least penalty
	codes := strings.Split(string(golden), "code ")[1:]
	if len(codes) != 3*masks {
		t.Fatalf("%d codes", len(codes))
	}
	for _, code := range codes {
		head, want, _ := strings.Cut(code, "\n")
		var text string
		var mask, penalty int
		if _, err := fmt.Sscan(head, &text, &mask, &penalty); err != nil {
			t.Fatal(err)
		}
		size := strings.IndexByte(want, '\n')
		c, err := encode(coding.String(text), coding.Version((size-17)/4), coding.Mask(mask))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.text(); got != want {
			t.Errorf("%s, mask %d:\n%s, others have\n%s", text, mask, got, want)
		}
		// Of two patterns that overlap, segno counts one; the standard says nothing about them.
		if p := c.penalty(); p != penalty && p != penalty+40 {
			t.Errorf("%s, mask %d: penalty %d, segno has %d", text, mask, p, penalty)
		}
		if old, ok := least[text]; !ok || penalty < old {
			least[text], modules[text] = penalty, want
		}
	}
	for text, want := range modules {
		c, err := New(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.text(); got != want {
			t.Errorf("%s is encoded as\n%s, the best is\n%s", text, got, want)
		}
	}
}

func (c *Code) text() string {
	var b strings.Builder
	for y := range c.size {
		for x := range c.size {
			if c.dark(x, y) {
				b.WriteByte('#')
			} else {
				b.WriteByte('.')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestWrite reads what is printed back, module by module, and looks at the border and the colors.
func TestWrite(t *testing.T) {
	c, err := New("http://192.168.178.100:8080/")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := c.Write(&out); err != nil {
		t.Fatal(err)
	}
	if c.Columns() != c.size+8 {
		t.Errorf("%d columns for %d modules", c.Columns(), c.size)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != (c.Columns()+1)/2 {
		t.Fatalf("%d lines of %d columns", len(lines), c.Columns())
	}
	for i, line := range lines {
		line, colored := strings.CutPrefix(line, "\x1b[38;5;16;48;5;231m")
		line, reset := strings.CutSuffix(line, "\x1b[0m")
		if !colored || !reset || utf8.RuneCountInString(line) != c.Columns() {
			t.Fatalf("line %d: %q", i, line)
		}
		x := -quietModules
		for _, r := range line {
			upper, lower := r == '█' || r == '▀', r == '█' || r == '▄'
			y := 2*i - quietModules
			if upper != c.dark(x, y) || lower != c.dark(x, y+1) {
				t.Errorf("%c at %d, %d", r, x, y)
			}
			if inside := x >= 0 && x < c.size && y+1 >= 0 && y < c.size; !inside && r != ' ' {
				t.Errorf("%c in the border at %d, %d", r, x, y)
			}
			x++
		}
	}
}

func TestTooLong(t *testing.T) {
	if _, err := New(strings.Repeat("x", 2953)); err != nil {
		t.Error(err)
	}
	if _, err := New(strings.Repeat("x", 2954)); err == nil {
		t.Error("encoded more than a code holds")
	}
}
