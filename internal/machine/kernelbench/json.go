package kernelbench

import "encoding/json"

// JSON returns the rows as a list of objects, one a kernel.
func JSON(rows []Row) ([]byte, error) {
	type object struct {
		Kernel string             `json:"kernel"`
		Bytes  int                `json:"bytes"`
		Chosen string             `json:"chosen"`
		GBps   map[string]float64 `json:"gb_per_s"`
	}
	all := []object{}
	for _, r := range rows {
		speeds := map[string]float64{}
		for _, s := range r.Speeds {
			speeds[s.ISA.String()] = s.GBps
		}
		all = append(all, object{r.Kernel, r.Bytes, r.Chosen.String(), speeds})
	}
	return json.Marshal(all)
}

// SlowerJSON returns the list as objects, one a variant and length.
func SlowerJSON(slower []Slower) ([]byte, error) {
	type object struct {
		Kernel  string  `json:"kernel"`
		ISA     string  `json:"isa"`
		Bytes   int     `json:"bytes"`
		Ns      float64 `json:"ns"`
		PlainNs float64 `json:"plain_ns"`
	}
	all := []object{}
	for _, s := range slower {
		all = append(all, object{s.Kernel, s.ISA.String(), s.Bytes, s.Nanoseconds, s.PlainTwin})
	}
	return json.Marshal(all)
}

// TimesJSON returns the times as objects, one a variant and length.
func TimesJSON(times []Timing) ([]byte, error) {
	type object struct {
		Kernel string  `json:"kernel"`
		ISA    string  `json:"isa"`
		Bytes  int     `json:"bytes"`
		Ns     float64 `json:"ns"`
	}
	all := []object{}
	for _, t := range times {
		all = append(all, object{t.Kernel, t.ISA.String(), t.Bytes, t.Nanoseconds})
	}
	return json.Marshal(all)
}
