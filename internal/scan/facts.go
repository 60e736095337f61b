package scan

import (
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// extentsMax bounds how many written ranges of a sparse file are listed before the scan. The
// rest of the file counts as one range, and its holes are skipped during the scan.
var extentsMax = threshold.New("scan: ranges of a sparse file listed before the scan", 4096, 1)

// Regions returns the parts of r to scan, in ascending order, and which of them are in the page
// cache. With skipHoles it leaves out the holes of a sparse file, except for the ahead bytes
// before the next written byte, where a hit may begin. Unknown says why the state of the page
// cache is not known; everything then counts as cached.
func Regions(f *source.File, r source.Range, skipHoles bool, ahead int) (
	left []source.Region, unknown string, err error) {
	if f.Kind == source.Stream {
		return []source.Region{{Range: r}}, "", nil
	}
	extents := []source.Range{r}
	if skipHoles {
		if extents, err = written(f, r, int64(ahead)); err != nil {
			return nil, "", err
		}
	}
	for _, e := range extents {
		found, err := f.Residency(e)
		if err != nil {
			unknown = err.Error()
			found = []source.Region{{Range: e, Cached: true}}
		}
		left = append(left, found...)
	}
	return left, unknown, nil
}

// written lists the ranges of r that hold data, each with the context before it.
func written(f *source.File, r source.Range, ahead int64) (extents []source.Range, err error) {
	most := extentsMax.Get()
	for off := r.Off; off < r.End; {
		if len(extents) == most {
			return append(extents, source.Range{Off: off, End: r.End}), nil
		}
		data, err := f.NextData(off, r.End)
		if err != nil {
			return nil, err
		}
		if data.Len() == 0 {
			break
		}
		data.Off = max(data.Off-ahead, off)
		extents = append(extents, data)
		off = data.End
	}
	return extents, nil
}
