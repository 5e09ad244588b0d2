package gitcmd

import "bytes"

// Entries splits the output of git's option -z as it arrives. The list of a large repository has
// many megabytes, so Entries stores only one entry at a time.
type Entries struct {
	// Each is called for every entry. The entry is valid until Each returns.
	Each func(entry []byte)
	// begun is the beginning of an entry whose end has not arrived yet.
	begun []byte
}

// Write implements io.Writer, for Run.
func (e *Entries) Write(p []byte) (int, error) {
	rest := p
	for {
		entry, after, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			e.begun = append(e.begun, rest...)
			return len(p), nil
		}
		if len(e.begun) > 0 {
			e.begun = append(e.begun, entry...)
			entry = e.begun
		}
		e.Each(entry)
		e.begun, rest = e.begun[:0], after
	}
}
