package serve

import (
	"bytes"
	"encoding/json"
	"time"
)

// writeJSON writes an array with one object per line. In names that are not UTF-8, invalid bytes
// become U+FFFD.
func writeJSON(out *bytes.Buffer, r rows) error {
	type object struct {
		Name     string    `json:"name"`
		Type     string    `json:"type"`
		Size     *int64    `json:"size,omitempty"` // files only
		Modified time.Time `json:"modified"`
	}
	open := "[\n"
	for _, at := range r.places {
		item := &r.listing.Items[at]
		o := object{Name: validUTF8(item.Name), Type: "folder", Modified: item.Modified.UTC().Truncate(time.Second)}
		if !item.Folder {
			o.Type, o.Size = "file", &item.Size
		}
		text, err := json.Marshal(o)
		if err != nil {
			return err
		}
		out.WriteString(open)
		out.Write(text)
		open = ",\n"
	}
	if len(r.places) == 0 {
		out.WriteString("[]\n")
	} else {
		out.WriteString("\n]\n")
	}
	return nil
}
