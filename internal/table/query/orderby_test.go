package query

import "testing"

func TestParseOrder(t *testing.T) {
	for text, want := range map[string]string{
		"a":                                  "a",
		" a  ASC , b desc ":                  "a; b desc",
		"a nulls first":                      "a nulls first",
		"a Desc Nulls First,b nulls last":    "a desc nulls first; b",
		"lower(a, b), `x,y` desc":            "lower(a, b); `x,y` desc",
		`"a,b", regexp_extract(c, ', ') asc`: `"a,b"; regexp_extract(c, ', ')`,
		"desc":                               "desc",
		"desc desc":                          "desc desc",
	} {
		items, err := parseOrderBy(text)
		got := ""
		for i := range items {
			got += map[bool]string{true: "; "}[i > 0] + items[i].String()
		}
		if err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "a,", ",a", "a,,b", " "} {
		if items, err := parseOrderBy(text); err == nil {
			t.Errorf("%q: %v", text, items)
		}
	}
}
