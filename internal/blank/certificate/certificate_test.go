package certificate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/blank"
	"github.com/thresh-dev/thresh/internal/certificate"
	"github.com/thresh-dev/thresh/internal/input/identity"
	"github.com/thresh-dev/thresh/internal/journal"
)

// example returns a certificate of three devices: blank in two sessions; not blank, with text that
// means something in HTML; and incomplete.
func example(t *testing.T) Certificate {
	t.Helper()
	began := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	session := journal.Session{Began: began, Version: "thresh v1", Host: "bench"}
	one := journal.Stretch{Session: session, Ended: began.Add(time.Hour), To: 4 << 30, Interrupted: true}
	two := one
	two.Began, two.Ended, two.From, two.To, two.Interrupted = began.Add(2*time.Hour), began.Add(3*time.Hour), 4<<30, 8<<30, false
	first := int64(1000)
	ranges := journal.Ranges{Count: 9, Bytes: 9 * 4096, List: []journal.Span{{Off: 512, Len: 4096}, {Off: 1 << 20, Len: 4096}}}
	lost := journal.Ranges{Count: 1, Bytes: 512, List: []journal.Span{{Off: 4096, Len: 512, Why: "input/output error"}}}
	c := Certificate{Issue: certificate.Issue{Program: "thresh v1 (go1.27)", Host: "bench", System: "linux amd64", Operator: "A. <Doe> & Co",
		Reference: "sha256:</script><b>", Began: began, Ended: two.Ended}, Pattern: "00",
		Run: certificate.Run{Bytes: 8 << 30, Seconds: 3600, BytesPerSecond: 2.4e6, Wall: "storage", Verdict: "storage: 0.0024 GB/s"},
		Devices: []Device{
			{Name: "/dev/sdb", How: blank.HowDirect, SectorBytes: 512, Sessions: []journal.Stretch{one, two},
				Identity: identity.Identity{Kind: "block device", Bytes: 8 << 30, Vendor: "EXAMPLE", Model: "DISK 8", Serial: "S3R1AL", WWN: "naa.5000",
					Firmware: "F1", Links: []string{"ata-EXAMPLE_S3R1AL", "wwn-0x5000"}, LogicalSector: 512, PhysicalSector: 4096},
				Summary: journal.Summary{End: 8 << 30, Read: 8 << 30}},
			{Name: "<i>disk.img</i>", How: "through the page cache, because its file system is in memory", SectorBytes: 512,
				Identity: identity.Identity{Kind: "regular file", Bytes: 2 << 20}, Sessions: []journal.Stretch{two},
				Summary: journal.Summary{End: 2 << 20, Read: 1 << 20, Holes: 1 << 20, First: &first, Other: ranges}},
			{Name: "/dev/sdd1", How: blank.HowDirect, SectorBytes: 512, Sessions: []journal.Stretch{two},
				Identity: identity.Identity{Kind: "block device", Bytes: 1 << 20, InUse: true, Partition: true},
				Summary:  journal.Summary{Off: 4096, End: 1 << 20, Read: 1<<20 - 4096 - 512, Unread: lost}},
		}}
	c.Complete()
	return c
}

func documents(t *testing.T, c Certificate) map[string][]byte {
	t.Helper()
	j, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	h, err := c.HTML()
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"JSON": j, "HTML": h}
}

// TestSame: the page and the JSON have the same content, which Verify returns.
func TestSame(t *testing.T) {
	c := example(t)
	var contents []Certificate
	for name, document := range documents(t, c) {
		got, err := Verify(document)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got.Digest = ""
		contents = append(contents, got)
	}
	if !reflect.DeepEqual(contents[0], contents[1]) || !reflect.DeepEqual(contents[0], c) {
		t.Errorf("%+v\n%+v\nwant %+v", contents[0], contents[1], c)
	}
}

// TestDamage changes, removes and adds every byte, and cuts after each: all of it is noticed.
func TestDamage(t *testing.T) {
	for name, document := range documents(t, example(t)) {
		try := func(what string, at int, damaged []byte) {
			if _, err := Verify(damaged); !errors.Is(err, certificate.ErrDamaged) && !errors.Is(err, certificate.ErrNone) {
				t.Fatalf("%s: %s at %d (%q): %v", name, what, at, document[max(at-10, 0):min(at+10, len(document))], err)
			}
		}
		for at := range document {
			for _, flip := range []byte{1, 0x20} {
				damaged := bytes.Clone(document)
				damaged[at] ^= flip
				try("changed", at, damaged)
			}
			try("cut", at, document[:at])
			if at%7 == 0 {
				try("removed", at, append(bytes.Clone(document[:at]), document[at+1:]...))
				try("added", at, append(append(bytes.Clone(document[:at]), ' '), document[at:]...))
			}
		}
		try("appended", len(document), append(bytes.Clone(document), '\n'))
	}
	for _, other := range []string{"", "{}", "<!doctype html>", "sha256:", "sha256:" + strings.Repeat("0", 64)} {
		if _, err := Verify([]byte(other)); err == nil {
			t.Errorf("%q is a certificate", other)
		}
	}
}

// TestPageEscapes: text from outside stays text.
func TestPageEscapes(t *testing.T) {
	page := string(documents(t, example(t))["HTML"])
	for _, bad := range []string{"<i>disk", "<Doe>", "</script><b>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, want := range []string{"&lt;i&gt;disk.img", "S3R1AL", "EXAMPLE DISK 8", "And 7 more ranges", "input/output error", "interrupted and resumed",
		"512 bytes, 4096 on the medium", "bytes 4096 to 1048576<", "bytes 0 to 8589934592, which is all", "partition of a block device",
		"HPA", "not read again", "page cache, which may hold", "it is not all of each input", "no serial number", "in use while"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Count(page, "<article>") != 3 || strings.Count(page, "Witness") != 3 {
		t.Error("not one sheet to sign for each device")
	}
}

// TestNotCertified: what does not apply is not said.
func TestNotCertified(t *testing.T) {
	c := example(t)
	c.Devices = c.Devices[:1]
	c.Devices[0].Sessions = c.Devices[0].Sessions[:1]
	c.Complete()
	if len(c.NotCertified) != 3 || c.Result != Blank {
		t.Errorf("%v %q", c.Result, c.NotCertified)
	}
}

// TestResults: incomplete outweighs not blank, which outweighs blank.
func TestResults(t *testing.T) {
	at := int64(5)
	first := journal.Summary{End: 10, Read: 10, First: &at, Other: journal.Ranges{Count: 1, Bytes: 10}}
	lost := journal.Summary{End: 10, Unread: journal.Ranges{Count: 2, Bytes: 10}}
	for _, c := range []struct {
		devices []Device
		want    Result
		text    string
	}{
		{[]Device{{}}, Blank, "blank: 0 bytes, nothing to read"},
		{[]Device{{Summary: journal.Summary{End: 4096, Read: 4096}}}, Blank, "blank: 4.00 KiB, every byte read is 00"},
		{[]Device{{Summary: journal.Summary{End: 4096, Holes: 4096}}}, Blank,
			"blank: 4.00 KiB, all of it holes of the file, which read as 00: no byte was read"},
		{[]Device{{Summary: journal.Summary{End: 5000, Holes: 904, Read: 4096}}}, Blank,
			"blank: 4.88 KiB, every byte read is 00; 904 bytes are holes of the file, which were not read"},
		{[]Device{{SectorBytes: 512, Summary: first}, {}}, NotBlank,
			"not blank: 10 bytes, the first byte that is not 00 is at 5; 1 range of 512-byte sectors with such bytes, 10 bytes in all"},
		{[]Device{{Summary: lost}, {Summary: first}}, Incomplete,
			"incomplete: 10 bytes, every byte read is 00; 10 bytes in 2 ranges could not be read"},
		{[]Device{{Summary: first}, {Changed: "it was changed"}}, Incomplete, ""},
		{[]Device{{Interrupted: true, Summary: journal.Summary{End: 4096, Read: 4096}}}, Incomplete,
			"incomplete: 4.00 KiB, every byte read is 00; interrupted at 4096"},
	} {
		doc := Certificate{Pattern: "00", Devices: c.devices}
		doc.Complete()
		if doc.Result != c.want || c.text != "" && doc.Devices[0].Sentence != c.text {
			t.Errorf("%v %q, want %v %q", doc.Result, doc.Devices[0].Sentence, c.want, c.text)
		}
	}
}

// TestOtherFormat: a certificate of a later program is not judged.
func TestOtherFormat(t *testing.T) {
	c := example(t)
	c.Format = "thresh blank certificate 2"
	document, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(document); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", c.Format)) {
		t.Error(err)
	}
	var plain map[string]any
	if err := json.Unmarshal(document, &plain); err != nil || plain["digest"] == certificate.Placeholder {
		t.Errorf("%v %v", err, plain["digest"])
	}
}
