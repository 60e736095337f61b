// Package pacing keeps the kernel from pacing connections within one machine.
//
// There is no congestion between two programs of one machine. But BBR, a common default, paces
// loopback connections too: it sets a timer for every 64 KiB, and these timers take as much
// processor time as the rest of a relay. So loopback sockets get Reno, which every kernel has and
// every user may choose. That has to happen before they are connected, because a socket that was
// paced once stays paced. Other congestion controls and other sockets are left alone.
package pacing
