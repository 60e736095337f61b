package concurrency

import "github.com/thresh-dev/thresh/lab"

// waitGroupChannel waits for goroutines by receiving from a channel to which each sends when it is done.
// The post finds that simpler for one goroutine.
func waitGroupChannel() lab.Variant {
	return lab.Variant{
		ID: "go/waitgroup-channel", What: "wait for goroutines with a channel", Want: counted("are done"),
		Settings: oneAndMany,
		Run: waiting(func(n int, work func(i int)) {
			done := make(chan bool)
			for i := range n {
				go func() {
					work(i)
					done <- true
				}()
			}
			for range n {
				<-done
			}
		}),
	}
}
