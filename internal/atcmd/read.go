package atcmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"unicode/utf8"

	"agent/internal/disk"
	"agent/internal/picture"
)

// The limits of a message.
const (
	// MaxFileBytes is the size of the largest file that is included.
	MaxFileBytes = 512 << 10
	// MaxMessageBytes is how much all files of a message may hold together.
	MaxMessageBytes = 4 << 20
	// MaxFiles is how many files a message may include.
	MaxFiles = 200
)

// The reasons that name a limit.
var (
	tooLarge = refusal(fmt.Sprintf("it is larger than %d KiB", MaxFileBytes>>10))
	tooMuch  = refusal(fmt.Sprintf("the files of a message may hold %d MiB", MaxMessageBytes>>20))
	tooMany  = refusal(fmt.Sprintf("a message takes %d files", MaxFiles))
)

// sniffed is how much of a file is looked at to see what it is.
const sniffed = 8000

// imageTypes are the media types that models take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// file is the content of one file: a picture, or text.
type file struct {
	data    []byte
	picture *picture.Picture
}

// size is how much of a message it takes, in bytes.
func (f file) size() int {
	if f.picture != nil {
		return len(f.picture.Data)
	}
	return len(f.data)
}

// read returns the file at the resolved path in a tree. It opens regular files
// only, because opening a pipe waits for its writer and opening a device may do
// anything. No link that was put on the path since it was resolved is followed.
func read(tree *disk.Tree, resolved string, info fs.FileInfo, noImages string) (file, refusal) {
	if !info.Mode().IsRegular() {
		return file{}, notAFile
	}
	f, err := tree.Open(resolved)
	if err != nil {
		return file{}, openRefusal(err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return file{}, notAFile
	}
	var content bytes.Buffer
	if _, err := io.CopyN(&content, f, sniffed); err != nil && err != io.EOF {
		return file{}, refusal("it cannot be read: " + err.Error())
	}
	most := int64(MaxFileBytes)
	image, reason := sniff(content.Bytes(), noImages)
	if image {
		most = picture.MaxFileBytes
	}
	switch {
	case reason != "":
		return file{}, reason
	case info.Size() > most && !image:
		return file{}, tooLarge
	}
	if _, err := io.CopyN(&content, f, most+1-int64(content.Len())); err != nil && err != io.EOF {
		return file{}, refusal("it cannot be read: " + err.Error())
	}
	if !image {
		return check(file{data: content.Bytes()})
	}
	fitted, err := picture.Fit(content.Bytes())
	if err != nil {
		return file{}, refusal(err.Error())
	}
	return file{picture: &fitted}, ""
}

// check refuses whole contents that cannot go into a message.
func check(f file) (file, refusal) {
	switch {
	case len(f.data) > MaxFileBytes:
		return file{}, tooLarge
	case bytes.IndexByte(f.data, 0) >= 0:
		return file{}, binary
	case !utf8.Valid(f.data):
		return file{}, notText
	}
	return f, ""
}

// sniff decides by the beginning of a file whether it is an image, and refuses
// what is neither that nor text.
func sniff(start []byte, noImages string) (image bool, reason refusal) {
	switch {
	case slices.Contains(imageTypes, http.DetectContentType(start)):
		return true, refusal(noImages)
	case bytes.IndexByte(start, 0) >= 0:
		return false, binary
	}
	return false, ""
}

func openRefusal(err error) refusal {
	if errors.Is(err, fs.ErrPermission) {
		return unreadable
	}
	return refusal("it cannot be opened: " + err.Error())
}
