package main

// entry is the entry point of the program as make build links it (the linker's -E flag).
//
//lint:ignore U1000 the linker uses it
func entry()
