package source

// list appends the entries of the folder.
func (f *Folder) list(entries []Entry) ([]Entry, error) {
	return appendListed(entries, f.fd, make([]byte, blockBytes.Get()))
}
