//go:build !linux

package needle

func searchDirect(string, int) (int64, error) { return -1, nil }

const (
	populateFlag = 0
	noPopulate   = "MAP_POPULATE needs Linux"
)
