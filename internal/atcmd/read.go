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

// content is what a message takes of a file: a picture, or text.
type content struct {
	text    []byte
	picture *picture.Picture
}

// read returns the file at the resolved path in a tree. It opens regular files
// only, because opening a pipe waits for its writer and opening a device may do
// anything. No link that was put on the path since it was resolved is followed.
func read(tree *disk.Tree, resolved string, info fs.FileInfo, noImages string) (content, refusal) {
	if !info.Mode().IsRegular() {
		return content{}, notAFile
	}
	f, err := tree.Open(resolved)
	if err != nil {
		return content{}, openRefusal(err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return content{}, notAFile
	}
	start, err := io.ReadAll(io.LimitReader(f, sniffed))
	if err != nil {
		return content{}, refusal("it cannot be read: " + err.Error())
	}
	most, image := int64(MaxFileBytes), slices.Contains(imageTypes, http.DetectContentType(start))
	switch {
	case image && noImages != "":
		return content{}, refusal(noImages)
	case image:
		most = picture.MaxFileBytes
	case bytes.IndexByte(start, 0) >= 0:
		return content{}, binary
	case info.Size() > most:
		return content{}, tooLarge
	}
	rest, err := io.ReadAll(io.LimitReader(f, most+1-int64(len(start))))
	if err != nil {
		return content{}, refusal("it cannot be read: " + err.Error())
	}
	text := append(start, rest...)
	switch {
	case image:
		fitted, err := picture.Fit(text)
		if err != nil {
			return content{}, refusal(err.Error())
		}
		return content{picture: &fitted}, ""
	case len(text) > MaxFileBytes:
		return content{}, tooLarge
	case bytes.IndexByte(text, 0) >= 0:
		return content{}, binary
	case !utf8.Valid(text):
		return content{}, notText
	}
	return content{text: text}, ""
}

func openRefusal(err error) refusal {
	if errors.Is(err, fs.ErrPermission) {
		return unreadable
	}
	return refusal("it cannot be opened: " + err.Error())
}
