package remote

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// byLibrary is what elements does, by encoding/xml.
func byLibrary(text string) (all []string, err error) {
	var names, contents []string
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF && len(all) > 0 {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(names) == 0 && len(all) > 0 {
				return nil, errors.New("two outermost elements")
			}
			names, contents = append(names, t.Name.Local), append(contents, "")
		case xml.CharData:
			if len(contents) > 0 {
				contents[len(contents)-1] += string(t)
			} else if strings.TrimSpace(string(t)) != "" {
				return nil, errors.New("text outside")
			}
		case xml.EndElement:
			all = append(all, strings.Join(names[1:], "/")+"="+contents[len(contents)-1])
			names, contents = names[:len(names)-1], contents[:len(contents)-1]
		}
	}
}

// TestElements takes an answer, all of its beginnings, and others apart as encoding/xml does.
func TestElements(t *testing.T) {
	const list = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/" a='>"' >
 <Name>b</Name><!-- <Key> --><Contents><Key>a&amp;b &lt;c&gt; &quot;&apos; &#252;&#xFC;</Key><Size>12</Size><Owner/></Contents>
 <Contents
  x="y"><s:Key xmlns:s="u"><![CDATA[a<b&]]>x</s:Key></Contents ><IsTruncated>true</IsTruncated>
</ListBucketResult>
`
	texts := []string{"", "x", "<a>", "<a></b>", "<a/>", "<a></a></a>", "<a/><b/>", "<a>&nope;</a>", "<a>&#x110000;</a>", "<a>&amp</a>",
		"x<a/>", "<a/>x", "</a>", "<a><b></a></b>", "<html><br></html>", "<a b='1'/>", "<a><b c=\"/>\"/>t</a>"}
	for n := range len(list) + 1 {
		texts = append(texts, list[:n])
	}
	for _, text := range texts {
		want, wantErr := byLibrary(text)
		var got []string
		err := elements([]byte(text), func(path, content string) error {
			got = append(got, path+"="+content)
			return nil
		})
		if (err == nil) != (wantErr == nil) || err == nil && !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q, %v", text, got, err, want, wantErr)
		}
	}
	page, err := parseListing([]byte(list))
	if err != nil || !page.IsTruncated || !slices.Equal(page.Contents, []listed{{`a&b <c> "' üü`, 12}, {"a<b&x", 0}}) {
		t.Errorf("%+v, %v", page, err)
	}
	for _, text := range []string{"<html/>", "<Error><Code>InternalError</Code></Error>", list[:len(list)-3],
		"<l><IsTruncated>perhaps</IsTruncated></l>", "<l><IsTruncated>true</IsTruncated><Contents><Size>-</Size></Contents></l>"} {
		if page, err := parseListing([]byte(text)); err == nil {
			t.Errorf("%q is taken as the list %+v", text, page)
		}
	}
}
