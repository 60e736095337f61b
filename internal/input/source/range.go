package source

import "github.com/thresh-dev/thresh/internal/threshold"

// Range is the bytes of an input from Off up to, not including, End.
type Range struct{ Off, End int64 }

// Len returns the number of bytes in the range.
func (r Range) Len() int64 { return r.End - r.Off }

// Region is a range whose bytes are all in the page cache, or all not, as far as one look
// at the size of a step can tell.
type Region struct {
	Range
	Cached bool
}

// regionSteps bounds how many looks Residency takes, whatever the size of the file.
var regionSteps = threshold.New("source: looks at the page cache", 8192, 1)

// regionBytesMin is the finest look: a piece of a mapping.
var regionBytesMin = threshold.NewMultiple("source: finest look at the page cache", 2<<20, 4096, 4096)

// Residency returns which regions of r are in the page cache. A step counts as cached
// when at least 15 of 16 of its pages are. The error says why this system cannot tell.
func (f *File) Residency(r Range) ([]Region, error) {
	step, most := int64(regionBytesMin.Get()), int64(regionSteps.Get())
	for r.Len() > step*most {
		step *= 2
	}
	var regions []Region
	for off := r.Off; off < r.End; {
		end := min((off/step+1)*step, r.End)
		cached, err := f.CachedBytes(Range{off, end})
		if err != nil {
			return nil, err
		}
		regions = appendRegion(regions, Region{Range{off, end}, cached >= (end-off)/16*15})
		off = end
	}
	return regions, nil
}

// appendRegion lengthens the last region where the next one is of its kind.
func appendRegion(regions []Region, next Region) []Region {
	if n := len(regions); n > 0 && regions[n-1].Cached == next.Cached {
		regions[n-1].End = next.End
		return regions
	}
	return append(regions, next)
}
