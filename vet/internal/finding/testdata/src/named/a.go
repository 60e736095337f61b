package named

func slow() {}

func f() {
	slow() // want `call of slow`
}
