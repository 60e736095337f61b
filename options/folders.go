package options

// CompareFolders has the options of CompareFolders and FolderDifferences. In the zero value names, types, sizes,
// contents and what symbolic links say are compared.
type CompareFolders struct {
	Run
	// First ends the comparison at the first difference, in the order of the names.
	First bool
	// Mode compares permissions too, but not those of symbolic links.
	Mode bool
	// Owner compares the numbers of owners and groups too. Not on Windows, where folders do not have them.
	Owner bool
	// Modified compares times of modification too; to the second where one of both has no fraction, as tar keeps times.
	Modified bool
	// Past reads files past the page cache where the system allows it, as in Compare.
	Past bool
}
