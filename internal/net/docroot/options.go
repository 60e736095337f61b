package docroot

import (
	"slices"
	"time"

	"github.com/thresh-dev/thresh/failure"
)

// Options of a document root.
type Options struct {
	// Hidden also serves names that begin with a dot. Otherwise such names are not found anywhere
	// in a path, except /.well-known/ at the top, which clients rely on (RFC 8615). A symbolic link
	// whose own name is plain may lead to a hidden file: someone has made it on purpose.
	Hidden     bool
	OpenFiles  int           // files kept open; 0: 1024; at most a quarter of the process's descriptors
	Revalidate time.Duration // after this time at most, a changed file is noticed; 0: 1 s
	Encodings  []string      // codings of precompressed sidecar files to look for, best first; nil: zstd, br, gzip

	// FreeDescriptors is called when descriptors are short and the root has none to give up. It
	// reports whether some may be free now. nil: there is nothing to free.
	FreeDescriptors func() bool
}

const (
	openFilesDefault  = 1024
	revalidateDefault = time.Second
	descriptorShare   = 4 // the cache takes at most this share of the process's descriptors
)

// codings lists the content codings, best first, and the suffixes of files that hold them.
var codings = []coding{{"zstd", ".zst"}, {"br", ".br"}, {"gzip", ".gz"}}

type coding struct{ name, suffix string }

// codings returns the codings that o.Encodings names.
func (o *Options) codings() (named []coding, err error) {
	if o.Encodings == nil {
		return codings, nil
	}
	for _, name := range o.Encodings {
		i := slices.IndexFunc(codings, func(c coding) bool { return c.name == name })
		if i < 0 {
			return nil, &failure.OptionError{Field: "Encodings", Value: name,
				Reason: "unknown content coding; there are zstd, br and gzip"}
		}
		named = append(named, codings[i])
	}
	return named, nil
}

func (o *Options) checkLimits() error {
	const reason = "must not be negative"
	switch {
	case o.OpenFiles < 0:
		return &failure.OptionError{Field: "OpenFiles", Value: o.OpenFiles, Reason: reason}
	case o.Revalidate < 0:
		return &failure.OptionError{Field: "Revalidate", Value: o.Revalidate, Reason: reason}
	}
	return nil
}
