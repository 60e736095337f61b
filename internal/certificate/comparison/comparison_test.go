package comparison

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/certificate"
	"github.com/thresh-dev/thresh/internal/input/identity"
	"github.com/thresh-dev/thresh/internal/journal"
)

// example returns the certificate of a copy on a larger device, made in two sessions, that differs and could not be read.
func example() Certificate {
	began := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	first := int64(1000)
	one := journal.Stretch{Session: journal.Session{Began: began, Version: "thresh v1", Host: "bench"}, Ended: began.Add(time.Hour), To: 4096, Interrupted: true}
	two := one
	two.From, two.To, two.Interrupted = 4096, 8192, false
	c := Certificate{Issue: certificate.Issue{Program: "thresh v1", System: "linux amd64", Operator: "A. <Doe>", Began: began, Ended: began.Add(2 * time.Hour)},
		Inputs: [2]Side{{Name: "image.xz</script>", Identity: identity.Identity{Kind: "regular file", Bytes: 500, File: "1:2", Modified: &began}, Compressed: true,
			How: "through the page cache, decompressed"},
			{Name: "/dev/sdb", Identity: identity.Identity{Kind: "block device", Bytes: 1 << 20, Model: "DISK", Serial: "S3R1AL"}, Direct: true, How: "directly"}},
		Prefix: true, Longer: 2, BlockBytes: 512, Sessions: []journal.Stretch{one, two}}
	c.Summary = journal.Summary{End: 8192, Read: 7680, First: &first, Different: 3}
	c.Other.Add(journal.Span{Off: 512, Len: 512}, 9)
	c.Unread.Add(journal.Span{Off: 2048, Len: 512, Why: "input/output error", Input: 2}, 9)
	c.Complete()
	return c
}

// TestDocuments: the page and the JSON have the same content, text from outside stays text, and damage is noticed.
func TestDocuments(t *testing.T) {
	c := example()
	for _, make := range []func() ([]byte, error){c.JSON, c.HTML} {
		document, err := make()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Verify(document)
		if got.Digest = ""; err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%v %+v, want %+v", err, got, c)
		}
		for at := 0; at < len(document); at += 3 {
			damaged := bytes.Clone(document)
			damaged[at] ^= 1
			if _, err := Verify(damaged); !errors.Is(err, certificate.ErrDamaged) && !errors.Is(err, certificate.ErrNone) {
				t.Fatalf("changed at %d: %v", at, err)
			}
		}
	}
	page, _ := c.HTML()
	for _, want := range []string{"image.xz&lt;/script&gt;", "A. &lt;Doe&gt;", "S3R1AL", "input/output error", "interrupted and resumed",
		"bytes 0 to 8192 of the first input; the second one may go on", "2026-11-27 09:00:00 UTC", "was not read again",
		"it is not all of each", "as this program decompresses it"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// TestResults: incomplete outweighs different, which outweighs equal.
func TestResults(t *testing.T) {
	at := int64(5)
	whole := journal.Summary{End: 10, Read: 10}
	for _, test := range []struct {
		change func(c *Certificate)
		want   Result
		text   string
	}{
		{func(*Certificate) {}, Equal, "equal: 10 bytes, every byte is the same"},
		{func(c *Certificate) { c.Summary, c.Interrupted = journal.Summary{}, true }, Incomplete,
			"incomplete: nothing is compared yet; interrupted at 0"},
		{func(c *Certificate) { c.Summary = journal.Summary{} }, Equal, "equal: 0 bytes, nothing to compare"},
		{func(c *Certificate) { c.Longer, c.Prefix = 2, true }, Equal, "equal: 10 bytes, every byte is the same; b goes on"},
		{func(c *Certificate) { c.Longer, c.Prefix = 1, true }, Different, "different: 10 bytes, every byte that was compared is the same; a goes on"},
		{func(c *Certificate) { c.Longer = 2 }, Different, "different: 10 bytes, every byte that was compared is the same; b goes on"},
		{func(c *Certificate) { c.First, c.Different = &at, 1 }, Different, "the first byte that differs is at 5; 1 byte in 0 ranges of 0-byte blocks"},
		{func(c *Certificate) { c.First, c.Unread.Count, c.Unread.Bytes = &at, 1, 2 }, Incomplete, "; 2 bytes in 1 range could not be read"},
		{func(c *Certificate) { c.Interrupted = true }, Incomplete, "incomplete: 10 bytes, every byte that was compared is the same; interrupted at 10"},
		{func(c *Certificate) { c.Inputs[1].Changed = "it was changed" }, Incomplete, "; b: it was changed"},
	} {
		c := Certificate{Summary: whole, Inputs: [2]Side{{Name: "a"}, {Name: "b"}}}
		test.change(&c)
		if c.Complete(); c.Result != test.want || !strings.Contains(c.Sentence, test.text) || !strings.HasPrefix(c.Sentence, string(test.want)) {
			t.Errorf("%s: %s, want %s", c.Result, c.Sentence, test.text)
		}
	}
}
