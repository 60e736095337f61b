//go:build !unix

package needle

const noMmap = "golang.org/x/sys has no mmap for this system"

func searchMapped(string, int) (int64, error) { return -1, nil }
