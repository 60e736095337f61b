package scan

// Filter keeps those of ascending hits that count: no hit that overlaps an earlier one if Disjoint
// is set, and no more than Limit.
type Filter struct {
	Disjoint bool
	Limit    int64 // 0 means all
	End      int64 // of the last hit that was taken; at first, the start of the range
	Taken    int64
}

// Take reports whether a hit counts.
func (f *Filter) Take(h Hit) bool {
	if f.Full() || f.Disjoint && h.Off < f.End {
		return false
	}
	f.End = h.Off + h.Len
	f.Taken++
	return true
}

// Full reports whether no further hit counts.
func (f *Filter) Full() bool { return f.Limit > 0 && f.Taken >= f.Limit }
