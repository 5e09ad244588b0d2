package survey

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// The bounds of reading an index.
const (
	// maxIndex is the size of the largest one that is read; a larger one knows no file.
	maxIndex = 256 << 20
	// readAtOnce is how much of it is held, in bytes.
	readAtOnce = 256 << 10
)

// tracked are those of some files of the workspace that git knows, by its index as it is
// on disk. Names stand there whole, with two bytes before them that hold their length,
// and a zero behind. Where it is written otherwise no file is known, which only means
// more care. It may be large and is never held as a whole.
func tracked(root string, files []string) map[string]bool {
	known := map[string]bool{}
	if len(files) == 0 {
		return known
	}
	f, err := os.OpenFile(filepath.Join(root, gitFolder, "index"), os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return known
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIndex {
		return known
	}
	longest := 0
	for _, file := range files {
		longest = max(longest, len(file))
	}
	const abridged = "DIRC\x00\x00\x00\x04" // names without what they begin with like the one before
	part := make([]byte, 0, readAtOnce+longest+3)
	for first := true; ; first = false {
		n, err := io.ReadFull(f, part[len(part):cap(part)])
		part = part[:len(part)+n]
		if first && bytes.HasPrefix(part, []byte(abridged)) {
			return known
		}
		for _, file := range files {
			if !known[file] && holds(part, file) {
				known[file] = true
			}
		}
		if err != nil {
			return known
		}
		kept := copy(part, part[len(part)-min(len(part), longest+2):]) // a name may go on in the next part
		part = part[:kept]
	}
}

// holds reports whether a part of an index holds the entry of a file.
func holds(part []byte, file string) bool {
	name := append([]byte(file), 0)
	for from := 0; ; {
		found := bytes.Index(part[from:], name)
		if found < 0 {
			return false
		}
		if at := from + found; at >= 2 && int(part[at-2]&0x0f)<<8|int(part[at-1]) == len(file) {
			return true
		}
		from += found + 1
	}
}
