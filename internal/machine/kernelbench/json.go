package kernelbench

import "encoding/json"

// MarshalJSON writes the row as an object, the speeds by the names of the variants.
func (r Row) MarshalJSON() ([]byte, error) {
	speeds := map[string]float64{}
	for _, s := range r.Speeds {
		speeds[s.ISA.String()] = s.GBps
	}
	return json.Marshal(struct {
		Kernel string             `json:"kernel"`
		Bytes  int                `json:"bytes"`
		Chosen string             `json:"chosen"`
		GBps   map[string]float64 `json:"gb_per_s"`
	}{r.Kernel, r.Bytes, r.Chosen.String(), speeds})
}
