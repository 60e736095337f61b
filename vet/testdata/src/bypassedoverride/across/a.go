// Package across embeds types of another package.
package across

import "bypassedoverride/lib"

type conn struct{ lib.Conn } // want `Write of conn is bypassed`

func (c conn) Write(p []byte) (int, error) { return c.Conn.Write(p[1:]) }

type file struct{ *lib.File } // want `Read of file is bypassed`

func (f file) Read(p []byte) (int, error) { return f.File.Read(p[1:]) }

type own struct{ lib.Own }

func (o own) Read(p []byte) (int, error)  { return o.Own.Read(p[1:]) }
func (o own) Write(p []byte) (int, error) { return o.Own.Write(p[1:]) }
