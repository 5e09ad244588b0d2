package survey

import (
	"bytes"
	"os"
	"path/filepath"
)

// maxIndex bounds the size of an index that is read; a larger one knows no file.
const maxIndex = 64 << 20

// index is git's list of the files it knows, as it is on disk.
type index []byte

func readIndex(root string) index {
	path := filepath.Join(root, gitFolder, "index")
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxIndex {
		return nil
	}
	content, err := os.ReadFile(path)
	const abridged = "DIRC\x00\x00\x00\x04" // names without what they begin with like the one before
	if err != nil || bytes.HasPrefix(content, []byte(abridged)) {
		return nil
	}
	return content
}

// holds reports whether git knows a file of the workspace. Names stand in the index
// whole, with two bytes before them that hold their length, and a zero behind. Where
// it is written otherwise no file is known, which only means more care.
func (x index) holds(rel string) bool {
	name := append([]byte(rel), 0)
	for from := 0; ; {
		found := bytes.Index(x[from:], name)
		if found < 0 {
			return false
		}
		if at := from + found; at >= 2 && int(x[at-2]&0x0f)<<8|int(x[at-1]) == len(rel) {
			return true
		}
		from += found + 1
	}
}
