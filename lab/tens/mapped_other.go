//go:build !unix

package tens

// mappedVariant marks a variant as unavailable: this system has no mappings.
func mappedVariant(v Variant, _ func(b []byte, workers int) int64) Variant {
	v.Unavailable = "golang.org/x/sys has no mmap for this system"
	return v
}
