package git

import "bytes"

// Entries takes what git prints with -z apart as it comes. A large repository has a list of
// many megabytes, of which no more than one entry is held.
type Entries struct {
	// Each is called for every entry, which is valid until it returns.
	Each func(entry []byte)
	// begun is the beginning of an entry whose end has not come.
	begun []byte
}

// Write implements io.Writer, for Run.
func (e *Entries) Write(p []byte) (int, error) {
	rest := p
	for {
		end := bytes.IndexByte(rest, 0)
		if end < 0 {
			e.begun = append(e.begun, rest...)
			return len(p), nil
		}
		entry := rest[:end]
		if len(e.begun) > 0 {
			e.begun = append(e.begun, entry...)
			entry = e.begun
		}
		e.Each(entry)
		e.begun, rest = e.begun[:0], rest[end+1:]
	}
}
