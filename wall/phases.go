package wall

import "time"

// slots keeps evidence in slots of equal length. When there are too many, neighbours are merged, so a
// run of any length has a bounded timeline.
type slots struct {
	seconds float64 // of a slot
	list    []Evidence
}

const (
	slotSeconds    = 0.05
	slotsMax       = 600
	stepSecondsMax = 0.25
)

// add adds the evidence since the last call, which lies in one slot.
func (s *slots) add(e Evidence) {
	if s.seconds == 0 {
		s.seconds = slotSeconds
	}
	if n := len(s.list); n > 0 && s.list[n-1].Seconds < s.seconds*0.9 {
		s.list[n-1].Add(e)
		return
	}
	if len(s.list) == slotsMax {
		for i := range slotsMax / 2 {
			merged := s.list[2*i]
			merged.Add(s.list[2*i+1])
			s.list[i] = merged
		}
		s.list = s.list[:slotsMax/2]
		s.seconds *= 2
	}
	s.list = append(s.list, e)
}

// step returns how long to gather evidence for add: no longer than a slot, so in a long run longer.
func (s *slots) step() time.Duration {
	return time.Duration(min(max(s.seconds, slotSeconds), stepSecondsMax) * float64(time.Second))
}

// A phase lasts at least so long.
const (
	phaseSecondsMin = 0.5
	phaseShareMin   = 0.05
	rounding        = 1e-6 // sums of slots are not exact
)

// phases divides a run into stretches with one wall each. It begins with the slots, merges neighbours
// with the same wall, and then gives the shortest stretch that is too short to the neighbour that is
// longer, until none is.
func phases(list []Evidence, m Machine) []Phase {
	var all []Phase
	var total float64
	for _, e := range list {
		p := Phase{From: total, To: total + e.Seconds, Evidence: e}
		p.Wall = longest(&p.Evidence, m)
		total = p.To
		all = append(all, p)
	}
	all = mergeEqual(all, m)
	for len(all) > 1 {
		shortest := 0
		for i, p := range all {
			if p.To-p.From < all[shortest].To-all[shortest].From {
				shortest = i
			}
		}
		if all[shortest].To-all[shortest].From >= max(phaseSecondsMin, phaseShareMin*total)-rounding {
			break
		}
		first := max(shortest-1, 0) // of the two that become one
		if shortest > 0 && shortest+1 < len(all) &&
			all[shortest+1].To-all[shortest+1].From > all[shortest-1].To-all[shortest-1].From {
			first = shortest
		}
		all[first] = merge(all[first], all[first+1], m)
		all = append(all[:first+1], all[first+2:]...)
		all = mergeEqual(all, m)
	}
	for i := range all {
		p := &all[i]
		p.Verdict = judge(&p.Evidence, shares(attribute(&p.Evidence, m)), m)
	}
	return all
}

// mergeEqual merges neighbours with the same wall.
func mergeEqual(all []Phase, m Machine) []Phase {
	kept := all[:0]
	for _, p := range all {
		if n := len(kept); n > 0 && kept[n-1].Wall == p.Wall {
			kept[n-1] = merge(kept[n-1], p, m)
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

func merge(a, b Phase, m Machine) Phase {
	a.To = b.To
	a.Evidence.Add(b.Evidence)
	a.Wall = longest(&a.Evidence, m)
	return a
}

// longest returns the wall that held a stretch back longest.
func longest(e *Evidence, m Machine) Wall {
	list := shares(attribute(e, m))
	if len(list) == 0 {
		return Unclear
	}
	return list[0].Wall
}

// conclude fills in the parts of a report that follow from the evidence in its slots.
func (r *Report) conclude(list []Evidence) {
	r.Phases = phases(list, r.Machine)
	walls := map[Wall]float64{}
	for i := range r.Phases {
		for w, seconds := range attribute(&r.Phases[i].Evidence, r.Machine) {
			walls[w] += seconds
		}
		r.Evidence.Add(r.Phases[i].Evidence)
	}
	var from float64
	for _, e := range list {
		r.Timeline = append(r.Timeline, Slot{From: from, To: from + e.Seconds, Wall: longest(&e, r.Machine), Evidence: e})
		from += e.Seconds
	}
	r.Walls = shares(walls)
	r.Verdict = r.overall()
}

// overall is the verdict about the whole run. Its numbers are those of the phases that have its wall.
func (r *Report) overall() Verdict {
	if len(r.Phases) == 1 || len(r.Walls) == 0 {
		return judge(&r.Evidence, r.Walls, r.Machine)
	}
	var of Evidence
	for _, p := range r.Phases {
		if p.Wall == r.Walls[0].Wall {
			of.Add(p.Evidence)
		}
	}
	if of.Seconds == 0 { // a wall of parts of phases that have others
		of = r.Evidence
	}
	of.Seconds = r.Evidence.Seconds // shares are of the whole run
	return judge(&of, r.Walls, r.Machine)
}
