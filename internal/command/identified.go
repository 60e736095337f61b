package command

import (
	"errors"
	"io/fs"
	"os"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/identity"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// Identified is the file, device or object below an input, which a certificate names. A block device is claimed, so
// that nothing mounts it meanwhile.
type Identified struct {
	identity.Identity
	Member string // of the archive, if that is what is read

	local   *Local
	name    string
	file    *source.File // nil for an object
	release func() error
}

// Identify finds out what an input is; of a member of an archive, the archive.
func (l *Local) Identify(name string) (*Identified, error) {
	i := &Identified{local: l, name: name, release: func() error { return nil }}
	if thresh.IsRemote(name) {
		var err error
		i.Identity, err = i.object()
		return i, err
	}
	var err error
	if name == "-" {
		i.file, err = source.FromOS(name, l.In)
	} else {
		i.file, err = source.Open(name)
	}
	for _, pair := range decompress.SplitMember(name) {
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		i.Member = pair[1]
		i.file, err = source.Open(pair[0])
	}
	if err != nil {
		return nil, err
	}
	i.Identity = identity.Of(i.file)
	if i.file.Kind == source.Device {
		var claimed bool
		claimed, i.release = identity.Claim(i.file.Path())
		i.InUse = !claimed
	}
	return i, nil
}

// object asks for the size and the version of an object.
func (i *Identified) object() (identity.Identity, error) {
	o, err := i.local.remotes().OpenObject(i.local.ctx, i.name)
	if err != nil {
		return identity.Identity{}, err
	}
	return identity.Identity{Kind: source.Remote.String(), Bytes: o.Bytes(), Version: o.Version()}, o.Close()
}

// Stream reports whether the input can be read only once.
func (i *Identified) Stream() bool { return i.file != nil && i.file.Kind == source.Stream }

// OS returns the open file, nil for an object.
func (i *Identified) OS() *os.File {
	if i.file == nil {
		return nil
	}
	return i.file.OS()
}

// Changed says how the input has changed since it was identified, "" if it has not. What standard input reads has no
// name under which another file could take its place; it may be written to.
func (i *Identified) Changed() (string, error) {
	switch {
	case i.name == "-":
		return i.Differs(identity.Of(i.file)), nil
	case i.file != nil:
		return identity.Changed(i.file.Path(), i.Identity)
	}
	now, err := i.object()
	if err != nil {
		return "it can no longer be opened: " + err.Error(), nil
	}
	return i.Differs(now), nil
}

// Close ends the claim.
func (i *Identified) Close() error {
	err := i.release()
	if i.file == nil || i.name == "-" {
		return err // standard input is the caller's
	}
	return errors.Join(err, i.file.Close())
}
