package needle

import "os"

// v01 is the article's first program, the obvious one: read the whole file into memory and look at
// every byte. It is the baseline of all speed-ups: 749 MB/s warm and 491 MB/s cold. The article
// attributes 72 % of the time to the loop and 28 % to reading, most of that to the memory for 4 GiB.
//
// Kept: os.ReadFile, and the loop over bytes.
func wholeFile() Variant {
	return Variant{
		ID: "v01", What: "the whole file in memory, byte loop", Published: published(749, 491), Cold: true,
		Search: searchWholeFile,
	}
}

func searchWholeFile(path string, _ int) (int64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return -1, err
	}
	for i, b := range data {
		if b != 0 {
			return int64(i) &^ (wordBytes - 1), nil
		}
	}
	return -1, nil
}
