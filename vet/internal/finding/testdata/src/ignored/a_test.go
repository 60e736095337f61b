package ignored

func inTest() {
	slow() // not shown
	//thresh:ignore slow used, although the finding would not be shown
	slow()
	wrong() // want `call of wrong`
	//thresh:ignore wrong it is what is tested
	wrong()
}
