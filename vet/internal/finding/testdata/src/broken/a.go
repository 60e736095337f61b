package broken

func slow() {}

func f() {
	//thresh:ignore slow nothing is slow here // want `this silences nothing: slow reports nothing here`
	f()
	f() //thresh:ignore wrong nor wrong // want `this silences nothing: wrong reports nothing here`
	//thresh:ignore slow,wrong half // want `this silences nothing: wrong reports nothing here`
	slow()
	//thresh:ignore slow // want `give a reason: //thresh:ignore slow reason`
	slow()
	//thresh:ignore // want `name a rule, and give a reason`
	slow()
	//thresh:ignore slwo misspelt // want `there is no rule slwo: "thresh vet --list" has them all`
	slow()
	//thresh:ignoreslow is another directive
	slow()
	// thresh:ignore slow is text
	slow()
}

/*thresh:ignore slow nothing */ // want `this silences nothing`
/*thresh:ignore slow spans
two lines // want `this silences nothing` */

//thresh:ignore slow at the end // want `this silences nothing`
