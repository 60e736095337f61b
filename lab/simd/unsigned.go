package simd

// The post: if there are only signed comparisons, as for vectors before AVX-512, add the least
// number M to both sides: the signed order of the sums is the unsigned order of the numbers. The
// sums may overflow, which is not allowed in C; x^M has the same value and cannot overflow.

// signed has the lane widths of vectors.
type signed interface{ int8 | int16 | int32 | int64 }

// BelowByAdding reports whether x < y as unsigned numbers. least must be the least number of the
// type.
func BelowByAdding[T signed](x, y, least T) bool { return x+least < y+least }

// BelowByFlipping is like BelowByAdding, but cannot overflow.
func BelowByFlipping[T signed](x, y, least T) bool { return x^least < y^least }
