package shown

func slow() {}

func f() {
	slow() // want `call of slow`
	slow() //thresh:ignore slow in a test nobody waits
}
