//go:build !linux

package compared

// threadUse returns nothing: the system does not tell.
func threadUse() use { return use{} }
