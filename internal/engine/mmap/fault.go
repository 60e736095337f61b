//go:build unix

package mmap

import (
	"runtime"
	"unsafe"
)

// faultOffset returns the offset in the mapping of the byte whose access caused a panic, and
// whether there is one. The runtime's panic value for a memory fault has the address.
func (r *reader) faultOffset(cause any) (off int64, ok bool) {
	fault, ok := cause.(interface {
		runtime.Error
		Addr() uintptr
	})
	if !ok || len(r.data) == 0 {
		return 0, false
	}
	base := uintptr(unsafe.Pointer(&r.data[0]))
	if addr := fault.Addr(); addr >= base && addr-base < uintptr(len(r.data)) {
		return int64(addr - base), true
	}
	return 0, false
}
