package cpu

// Origin returns where the kernels of an instruction set come from in this build: "archsimd", Go
// with vector types, in builds with GOEXPERIMENT=simd; or "assembly", which is generated from it,
// in all others. Portable code has no origin.
func (i ISA) Origin() string {
	switch i {
	case Plain:
		return ""
	case SVE: // archsimd lacks it: it is written in assembly for all builds
		return "assembly"
	}
	return vectorOrigin
}
