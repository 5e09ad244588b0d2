package sensitive

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"agent/internal/base/fsutil"
)

// digest is a checksum of the content of a file or folder.
type digest [sha256.Size]byte

// The largest size of a file in bytes, and of a folder in entries, for a digest.
const (
	digestedBytes   = 1 << 20
	digestedEntries = 200
)

var errTooLarge = errors.New("the file or folder is too large to compare by content")

// digestOf returns the digest of a file, a link, or a folder with its whole content. It fails if
// the content cannot be read or is too large.
func digestOf(path string) (digest, error) {
	sum, entries := sha256.New(), 0
	err := filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error {
		if entries++; err != nil || entries > digestedEntries {
			return errors.Join(err, errTooLarge)
		}
		var content []byte
		switch kind := entry.Type(); {
		case kind.IsDir():
		case kind&fs.ModeSymlink != 0:
			target, linkErr := os.Readlink(at)
			content, err = []byte(target), linkErr
		default:
			content, err = fsutil.ReadBeginning(at, digestedBytes+1)
		}
		if err == nil && len(content) > digestedBytes {
			err = errTooLarge
		}
		one := sha256.Sum256(content)
		sum.Write([]byte(at[len(path):] + "\x00" + entry.Type().String() + "\x00"))
		sum.Write(one[:])
		return err
	})
	return digest(sum.Sum(nil)), err
}
