package source

import "github.com/thresh-dev/thresh/internal/threshold"

// Range is the bytes of an input from Off up to but not including End.
type Range struct{ Off, End int64 }

// Len returns the number of bytes in the range.
func (r Range) Len() int64 { return r.End - r.Off }

// TotalBytes returns the number of bytes in all of the ranges or regions.
func TotalBytes[R interface{ Len() int64 }](ranges []R) (n int64) {
	for _, r := range ranges {
		n += r.Len()
	}
	return n
}

// Region is a range that is either cached or not, to the resolution of Residency's steps.
type Region struct {
	Range
	Cached bool
}

// regionSteps bounds the page cache queries of Residency, whatever the size of the file.
var regionSteps = threshold.New("source: page cache queries", 8192, 1)

// regionBytesMin is the smallest step of Residency: one piece of a mapping.
var regionBytesMin = threshold.NewMultiple("source: bytes of a page cache query", 2<<20, 4096, 4096)

// probesMax is how many pages of a step are asked for before the step as a whole.
const probesMax = 16

// Residency divides r into regions that are in the page cache and regions that are not. It queries
// the page cache in steps; a step counts as cached if at least 15 of 16 of its bytes are. The
// error says why the page cache cannot be queried.
//
// Where a file lies in single pages, a query of a whole step takes as long as scanning a good part of
// it. So some single pages are asked for first, and the step only if they differ. What they do not
// show costs little: cached bytes are read where they are, and uncached ones are brought in.
func (f *File) Residency(r Range) ([]Region, error) {
	step, most := int64(regionBytesMin.Get()), int64(regionSteps.Get())
	probes := int64(4)
	for (r.Len()-1)/most >= step { // a product of the two could overflow
		step *= 2
		probes = min(2*probes, probesMax)
	}
	var regions []Region
	for off := r.Off; off < r.End; {
		end := off + min(step-off%step, r.End-off)
		cached, err := f.seemsCached(Range{off, end}, step/probes)
		if b := f.beside; b != nil && cached && err == nil {
			cached, err = b.seemsCached(Range{off + b.shift, end + b.shift}, step/probes)
		}
		if err != nil {
			return nil, err
		}
		regions = appendRegion(regions, Region{Range{off, end}, cached})
		off = end
	}
	return regions, nil
}

// seemsCached reports whether at least 15 of 16 bytes of r are in the page cache, as far as one page in
// the middle of every stretch shows, if they agree.
func (f *File) seemsCached(r Range, stretch int64) (bool, error) {
	probes, found := 0, 0
	for at := stretch / 2; at < r.Len(); at += stretch {
		n, err := f.CachedBytes(Range{r.Off + at, r.Off + at + 1})
		if err != nil {
			return false, err
		}
		probes++
		found += int(n)
	}
	if probes > 1 && (found == 0 || found == probes) {
		return found > 0, nil
	}
	cached, err := f.CachedBytes(r)
	return cached >= r.Len()/16*15, err
}

// appendRegion appends the next region, or extends the last one if both are cached or both not.
func appendRegion(regions []Region, next Region) []Region {
	if n := len(regions); n > 0 && regions[n-1].Cached == next.Cached {
		regions[n-1].End = next.End
		return regions
	}
	return append(regions, next)
}
