package cpu

// Origin returns where the kernels of an instruction set come from in this build: "archsimd",
// which is Go with vector types, built with GOEXPERIMENT=simd; or "assembly", which is made
// from it and built without. Portable code has no origin.
func (i ISA) Origin() string {
	switch i {
	case Plain:
		return ""
	case SVE: // archsimd lacks it: written as assembly for all builds
		return "assembly"
	}
	return vectorOrigin
}
