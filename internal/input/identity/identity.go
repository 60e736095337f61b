package identity

import (
	"fmt"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// Identity is what tells an input from others, as far as the system knows it.
type Identity struct {
	Kind  string `json:"kind"` // "block device", "regular file" or "stream"
	Bytes int64  `json:"bytes,omitempty"`

	// Of a block device:
	Vendor         string   `json:"vendor,omitempty"`
	Model          string   `json:"model,omitempty"`
	Serial         string   `json:"serial,omitempty"`
	WWN            string   `json:"wwn,omitempty"` // world wide name
	Firmware       string   `json:"firmware,omitempty"`
	Node           string   `json:"node,omitempty"`   // the kernel's name, like sda
	Number         string   `json:"number,omitempty"` // major:minor
	Partition      bool     `json:"partition,omitempty"`
	BackingFile    string   `json:"backing_file,omitempty"` // of a loop device
	Links          []string `json:"links,omitempty"`        // its names in /dev/disk/by-id
	LogicalSector  int      `json:"logical_sector,omitempty"`
	PhysicalSector int      `json:"physical_sector,omitempty"`
	Rotating       bool     `json:"rotating,omitempty"`
	InUse          bool     `json:"in_use,omitempty"` // mounted, or held by something else

	// Of a file:
	File     string     `json:"inode,omitempty"` // device:inode
	Modified *time.Time `json:"modified,omitempty"`

	// Of an object on another machine: its ETag, or the time of its last modification.
	Version string `json:"version,omitempty"`
}

// Of returns the identity of an input.
func Of(f *source.File) Identity {
	id := Identity{Kind: f.Kind.String(), Bytes: max(f.Bytes, 0)}
	if f.OS() == nil {
		return id
	}
	info, err := f.OS().Stat()
	if err != nil {
		return id // the check will meet the error again
	}
	switch f.Kind {
	case source.Device:
		addDevice(&id, info)
	case source.Regular:
		modified := info.ModTime().UTC()
		id.Modified, id.File = &modified, fileNumber(info)
	}
	return id
}

// Key returns what must stay the same while an input is read, and between an interruption and what
// follows. A disk with a serial number keeps it wherever it is plugged in; another one is known by
// its place only.
func (id Identity) Key() string {
	parts := []string{id.Kind, id.Model, id.Serial, id.WWN}
	if id.Serial == "" && id.WWN == "" || id.Partition {
		parts = append(parts, id.Node, id.Number, id.BackingFile)
	}
	if id.Version != "" {
		parts = append(parts, id.Version)
	}
	if id.Modified != nil {
		parts = append(parts, id.File, id.Modified.Format(time.RFC3339Nano))
	}
	return strings.Join(parts, "\x00")
}

// Changed says how a file or device has changed since its identity was taken, "" if it has not. What was read of it
// then says nothing about what it is now.
func Changed(path string, was Identity) (string, error) {
	now, err := source.Open(path)
	if err != nil {
		return fmt.Sprintf("it can no longer be opened: %v", err), nil
	}
	is := Of(now)
	if err := now.Close(); err != nil {
		return "", err
	}
	return was.Differs(is), nil
}

// Differs says how an identity taken later differs, "" if it does not.
func (id Identity) Differs(now Identity) string {
	switch {
	case now.Bytes != id.Bytes:
		return fmt.Sprintf("its size changed from %d to %d bytes while it was read", id.Bytes, now.Bytes)
	case now.Key() != id.Key():
		return "it was changed, or replaced by another, while it was read"
	}
	return ""
}

// Known reports whether the device says who it is.
func (id Identity) Known() bool { return id.Serial != "" || id.WWN != "" }

// Description returns vendor and model, as far as they are known.
func (id Identity) Description() string {
	if strings.HasPrefix(id.Model, id.Vendor) {
		return id.Model
	}
	return id.Vendor + " " + id.Model
}
