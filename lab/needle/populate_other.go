//go:build !linux

package needle

const (
	populateFlag = 0
	noPopulate   = "MAP_POPULATE needs Linux"
)
