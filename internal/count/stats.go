package count

// Stats tells of the values of a column.
type Stats struct {
	N, NaN              int64
	Min, Max, Sum, Mean string // decimal, empty where there are no values
}
