// Package activation returns the sockets that systemd handed over, and listens where there are none.
package activation
