package ignored

func slow(...any) int { return 0 }
func wrong() int      { return 0 }

func plain() {
	slow()  // want `call of slow`
	wrong() // want `call of wrong`
}

func ownLine() {
	slow() //thresh:ignore slow measured: no difference
	slow() // want `call of slow`
}

func lineAbove() {
	//thresh:ignore slow measured: no difference
	slow()
	slow() // want `call of slow`
}

func severalRules() {
	//thresh:ignore slow,wrong both are meant
	slow(wrong())
	//thresh:ignore wrong only this one
	slow(wrong()) // want `call of slow`
}

func severalComments() {
	//thresh:ignore slow first
	//thresh:ignore wrong second
	slow(wrong())
}

func amongText() {
	// Some text above,
	//thresh:ignore slow	with a tab before the reason
	// and below.
	slow()
}

func blockComments() {
	/*thresh:ignore slow measured */
	slow()
	/*
		no directive: thresh:ignore slow
	*/
	slow() // want `call of slow`
	_ = plain2( /*thresh:ignore slow in the middle*/ slow())
	/*thresh:ignore slow a reason
	of two lines */
	slow()
}

func emptyLineBetween() {
	//thresh:ignore slow too far away // want `this silences nothing: slow reports nothing here`

	slow() // want `call of slow`
}

func behindABrace() { //thresh:ignore slow not the next line // want `this silences nothing`
	slow() // want `call of slow`
}

func openCall() {
	plain2( //thresh:ignore slow not the next line // want `this silences nothing`
		slow(), // want `call of slow`
	)
	plain2(
		1,
	) //thresh:ignore slow not the next line // want `this silences nothing`
	slow() // want `call of slow`
}

// slowType has documentation.
//
//thresh:ignore slow it is small
type slowType struct{}

// slowGeneric has a directive of another program below ours.
//
//thresh:ignore slow it is small
//go:notinheap
type slowGeneric[T any] struct{ t T }

type (
	// slowInGroup is one of several.
	//thresh:ignore slow it is small
	slowInGroup int

	slowToo int // want `type slowToo`
	slowOwn int //thresh:ignore slow it is small
)

type slowAlias = slowType // want `type slowAlias`

// slow is a method.
//
//thresh:ignore slow rarely called
//go:noinline
func (t slowType) slow() {}

func (t *slowInGroup) slow() {} // want `method slow`

func plain2(...any) int { return 0 }
