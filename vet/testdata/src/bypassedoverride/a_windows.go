package bypassedoverride

import "net"

// Not reported where this is not built.
type onWindows struct{ *net.TCPConn }

func (o onWindows) Write(p []byte) (int, error) { return o.TCPConn.Write(p[1:]) }
