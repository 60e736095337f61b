package query

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/filter"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// condition is a part of on or where.
type condition struct {
	expr.Node
	sources uint64 // that it is about, a bit for each
	used    bool
}

// conditions reads a condition whose names are those of the first n sources.
func (q *Query) conditions(text string, n, on int) (all []*condition, err error) {
	scope := q.scope()
	scope.Resolve = q.resolveIn(n, on)
	e, err := expr.ParseFilter(text, scope)
	if err != nil {
		return nil, err
	}
	for _, p := range conjuncts(e.Root) {
		all = append(all, &condition{Node: p, sources: q.sourcesOf(p)})
		all = append(all, q.implied(p)...)
	}
	return all, nil
}

// implied returns conditions that hold where one of several does: an equality of two sources that each of them has, and
// of each source one of those that are about it alone. With them less is read into memory, and sooner left out.
func (q *Query) implied(n expr.Node) (all []*condition) {
	either, ok := n.(*expr.Junction)
	if set := q.sourcesOf(n); !ok || either.All || bits.OnesCount64(set) < 2 {
		return nil
	}
	arms := map[[2]string]int{} // that have an equality, by its sides
	own := make([][]expr.Node, len(q.Sources))
	for _, arm := range either.Parts {
		alone, here := make([][]expr.Node, len(q.Sources)), map[[2]string]bool{}
		for _, p := range conjuncts(arm) {
			set := q.sourcesOf(p)
			if bits.OnesCount64(set) == 1 {
				alone[bits.TrailingZeros64(set)] = append(alone[bits.TrailingZeros64(set)], p)
				continue
			}
			c, ok := p.(*expr.Compare)
			if !ok || c.Rel != expr.Equal {
				continue
			}
			sides := [2]string{expr.Of(c.Left).Named(strconv.Itoa), expr.Of(c.Right).Named(strconv.Itoa)}
			slices.Sort(sides[:])
			if here[sides] {
				continue
			}
			here[sides] = true
			if arms[sides]++; arms[sides] == len(either.Parts) {
				all = append(all, &condition{Node: p, sources: set})
			}
		}
		for s, conditions := range alone {
			if conditions != nil {
				own[s] = append(own[s], expr.All(conditions...).Root)
			}
		}
	}
	for s, some := range own {
		if len(some) == len(either.Parts) {
			all = append(all, &condition{Node: &expr.Junction{Parts: some}, sources: 1 << s})
		}
	}
	return all
}

// conjuncts returns the conditions that all hold where one does.
func conjuncts(n expr.Node) []expr.Node {
	if j, ok := n.(*expr.Junction); ok && j.All {
		return j.Parts
	}
	return []expr.Node{n}
}

// joinPlan is how the sources of a statement are joined.
type joinPlan struct {
	*Query
	steps       []joinStep
	early, late []expr.Node // conditions of records, and of joined rows
	where       []*condition
	flipped     bool // the first join has its left side in memory
}

// joinStep is one join of a plan.
type joinStep struct {
	*SourceJoin
	on []equality
}

// equality is two expressions that a join compares: one of its own columns, and one of what is joined before.
type equality struct{ own, other expr.Node }

// joinSources plans how the sources are joined, and makes the filter of the rows: a part of it is about records alone,
// and narrows them before they are joined.
func (q *Query) joinSources() error {
	p := &joinPlan{Query: q, flipped: q.Probe == 1 && q.Sources[1].Kind != Inner}
	on := make([][]*condition, len(q.Sources))
	for s := 1; s < len(q.Sources); s++ {
		var err error
		if on[s], err = q.onConditions(s); err != nil {
			return err
		}
	}
	if q.Where != "" {
		var err error
		if p.where, err = q.conditions(q.Where, len(q.Sources), 0); err != nil {
			return fmt.Errorf("TableSpec.Where: %w", err)
		}
	}
	done := uint64(1) << q.Probe
	// The order of the sources before the probe is free.
	if err := p.add(slices.Concat(on[1:q.Probe+1]...), done, done-1); err != nil {
		return err
	}
	done |= done - 1
	for s := q.Probe + 1; s < len(q.Sources); {
		end := s + 1
		for q.Sources[s].Kind == Inner && end < len(q.Sources) && q.Sources[end].Kind == Inner { // whose order is free, too
			end++
		}
		todo := uint64(1)<<end - 1<<s
		if err := p.add(slices.Concat(on[s:end]...), done, todo); err != nil {
			return err
		}
		s, done = end, done|todo
	}
	for _, c := range p.where {
		if !c.used {
			p.filter(c)
		}
	}
	p.compile()
	return nil
}

// onConditions returns the conditions on which a source is joined.
func (q *Query) onConditions(s int) (all []*condition, err error) {
	of := &q.Sources[s]
	for _, name := range of.Using {
		own, err := q.columnOf(s, name, true)
		if err != nil {
			return nil, err
		}
		before := func(o int) bool { return o < s && (o == 0 || !q.Sources[o].Kind.KeepsOne()) }
		other, err := q.unqualified(before, name, true)
		if err != nil {
			return nil, err
		}
		n := expr.Equals(expr.Column(other, name, false), expr.Column(own, name, false))
		all = append(all, &condition{Node: n, sources: q.sourcesOf(n)})
	}
	if of.In != "" {
		return q.inCondition(s)
	}
	if of.On != "" {
		if all, err = q.conditions(of.On, s+1, s); err != nil {
			return nil, fmt.Errorf("Source.On: %w", err)
		}
	}
	return all, nil
}

// inCondition returns the condition that an expression equals the only column of a source.
func (q *Query) inCondition(s int) ([]*condition, error) {
	of := &q.Sources[s]
	if n := of.First.Fields; n > 1 {
		return nil, fmt.Errorf("in is followed by a statement with %d columns: select one", n)
	}
	scope := q.scope()
	scope.Resolve = q.resolveIn(s, 0)
	left, end, err := expr.Parse(of.In, 0, scope)
	switch {
	case err != nil:
		return nil, fmt.Errorf("Source.In: %w", err)
	case end < len(of.In):
		return nil, fmt.Errorf("Source.In: %w", wrong(of.In, end, "in is missing before this"))
	}
	n := expr.Equals(left, expr.Column(q.joinedColumn(s, 0), "", false))
	return []*condition{{Node: n, sources: q.sourcesOf(n)}}, nil
}

// equality returns the sides of a condition, if it is an equality of one source with others that are done.
func (p *joinPlan) equality(c *condition, done uint64, source int) (e equality, ok bool) {
	n, ok := c.Node.(*expr.Compare)
	if !ok || n.Rel != expr.Equal {
		return e, false
	}
	left, right := p.sourcesOf(n.Left), p.sourcesOf(n.Right)
	switch {
	case left == 1<<source && right != 0 && right&^done == 0:
		return equality{n.Left, n.Right}, true
	case right == 1<<source && left != 0 && left&^done == 0:
		return equality{n.Right, n.Left}, true
	}
	return e, false
}

// add joins some sources to those that are done, each by the equalities that it has with them: those of on or, where an
// inner join has none there, of where.
func (p *joinPlan) add(on []*condition, done, todo uint64) error {
	var last *SourceJoin
	for todo != 0 {
		by := on
		s := p.joinable(by, done, todo)
		if s < 0 && !p.flipped && p.Sources[bits.TrailingZeros64(todo)].Kind == Inner {
			by = p.where
			s = p.joinable(by, done, todo)
		}
		if s < 0 {
			return fmt.Errorf("%s is joined without an equality of its columns and those of another table, "+
				"like a.id = b.id", p.Sources[bits.TrailingZeros64(todo)].title())
		}
		last = &SourceJoin{Source: &p.Sources[s], Index: s, How: p.Sources[s].Kind, Flipped: p.flipped && s == 0}
		if last.Flipped {
			last.How = p.Sources[1].Kind
		}
		step := joinStep{SourceJoin: last}
		for _, c := range by {
			if e, ok := p.equality(c, done, s); ok && !c.used {
				c.used = true
				step.on = append(step.on, e)
			}
		}
		p.steps = append(p.steps, step)
		done, todo = done|1<<s, todo&^(1<<s)
	}
	for _, c := range on {
		switch {
		case c.used:
		case last.How == Inner:
			p.filter(c)
		case last.How == Full:
			return fmt.Errorf("full join: on may have equalities of both tables alone: %s is none; write a condition of one "+
				"into a statement in parentheses", expr.Of(c.Node))
		case !last.Flipped && c.sources == 1<<last.Index:
			last.Where = append(last.Where, c.Node)
		case last.Flipped && c.sources == 1<<p.Probe:
			p.early = append(p.early, c.Node)
		default:
			right := last.Index
			if last.Flipped {
				right = p.Probe
			}
			return fmt.Errorf("%v join: on may have equalities of both tables, and conditions of %s alone: %s is neither; "+
				"write a condition of the other one into a statement in parentheses", last.How, p.Sources[right].title(),
				expr.Of(c.Node))
		}
	}
	return nil
}

// joinable returns the first of some sources that an equality joins to those that are done, -1 if there is none.
func (p *joinPlan) joinable(by []*condition, done, todo uint64) int {
	for s := range p.Sources {
		if todo>>s&1 == 1 && slices.ContainsFunc(by, func(c *condition) bool {
			_, ok := p.equality(c, done, s)
			return ok
		}) {
			return s
		}
	}
	return -1
}

// filter has only rows for which a condition is true.
func (p *joinPlan) filter(c *condition) {
	full := false
	for i := range p.steps {
		j := p.steps[i].SourceJoin
		if c.sources == 1<<j.Index && (j.Index == 0 || j.Kind == Inner) && j.How != Full {
			j.Where = append(j.Where, c.Node)
			return
		}
		full = full || j.How == Full
	}
	if c.sources&^(1<<p.Probe) == 0 && !p.flipped && !full {
		p.early = append(p.early, c.Node)
	} else {
		p.late = append(p.late, c.Node)
	}
}

// compile makes the columns that the joins and the filter need.
func (p *joinPlan) compile() {
	q := p.Query
	early := filter.Compile(expr.All(p.early...), q.derive)
	q.Want(early.Columns()...)
	q.Derived.Early = len(q.Derived.All)
	for _, step := range p.steps {
		for _, e := range step.on {
			own, other := expr.Of(e.own), expr.Of(e.other)
			column := -1
			if o, ok := other.Operand(); ok && o.Slice == key.Whole() {
				column = o.Column
			} else {
				column = q.derive(other)
			}
			q.Want(column)
			step.Keys, step.Sides = append(step.Keys, column), append(step.Sides, own)
			step.Numbers = append(step.Numbers, isNumeric(own) || isNumeric(other))
		}
		step.Known = len(q.Derived.All)
		q.Joins = append(q.Joins, step.SourceJoin)
	}
	late := filter.Compile(expr.All(p.late...), q.derive)
	q.Want(late.Columns()...)
	q.Filter = late.After(early)
	q.Derived.Filtered = len(q.Derived.All)
}

// isNumeric reports whether an expression computes a number, whatever its columns are. A column alone is compared as it
// is written.
func isNumeric(e *expr.Expr) bool {
	kind := func(of expr.ValueKind) expr.ValueKind {
		return e.Type(func(int) expr.Type { return expr.Type{Kind: of} }).Kind
	}
	number := kind(expr.Exact)
	return (number == expr.Exact || number == expr.Float) && kind(expr.Text) != expr.Text
}

// joinedColumns decides which fields the rows in memory have: those that a question uses.
func (q *Query) joinedColumns() {
	for _, j := range q.Joins {
		for d := range q.Derived.All {
			c := q.Derived.All[d].Joined
			if c != nil && c.source == j.Index && slices.Contains(q.Wanted, q.Derived.First+d) {
				j.Columns = append(j.Columns, d)
			}
		}
	}
}
