package simd

// The post: where only signed comparisons are at hand, as of vectors before AVX-512, add the
// least number M to both sides, and numbers come in the order that they have without a
// sign. The sum may wrap around, which it may not in C; x^M is the same and cannot.

// signed are the widths that lanes of vectors have.
type signed interface{ int8 | int16 | int32 | int64 }

// BelowByAdding reports whether x is below y where both are taken without their signs; least
// must be the least number of the type.
func BelowByAdding[T signed](x, y, least T) bool { return x+least < y+least }

// BelowByFlipping is BelowByAdding without overflow.
func BelowByFlipping[T signed](x, y, least T) bool { return x^least < y^least }
