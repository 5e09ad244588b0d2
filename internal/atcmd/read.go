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

	"agent/internal/base/fsutil"
	"agent/internal/history"
	"agent/internal/picture"
)

// The limits of the files in a message.
const (
	// MaxFileBytes is the size of the largest file that is included.
	MaxFileBytes = 512 << 10
	// MaxMessageBytes limits the total size of all files of a message.
	MaxMessageBytes = 4 << 20
	// MaxFiles limits the files of a message.
	MaxFiles = 200
)

// The reasons for omitting a file because of a limit.
var (
	tooLarge = refusal(fmt.Sprintf("it is larger than %d KiB", MaxFileBytes>>10))
	tooMuch  = refusal(fmt.Sprintf("the files of a message can have at most %d MiB in total", MaxMessageBytes>>20))
	tooMany  = refusal(fmt.Sprintf("a message can have at most %d files", MaxFiles))
)

// sniffed is the number of bytes at the start of a file from which its type is determined.
const sniffed = 8000

// imageTypes lists the media types of images that models accept.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// content is the content of a file for a message: a picture, a PDF, or text.
type content struct {
	text    []byte
	picture *picture.Picture
	pdf     []byte
	// hash is the history.Digest of the file of a picture or a PDF.
	hash string
}

// read returns the content of the file at a resolved path in a tree. It opens only regular files:
// opening a pipe would wait for its writer, and opening a device may have side effects. It does not
// follow a link that replaced a part of the path after the path was resolved.
func read(tree *fsutil.Tree, resolved string, info fs.FileInfo, noImages string, takesPDF bool) (content, refusal) {
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
		return content{}, refusal("it can't be read: " + err.Error())
	}
	kind := http.DetectContentType(start)
	most, image, pdf := int64(MaxFileBytes), slices.Contains(imageTypes, kind), takesPDF && kind == history.PDF
	switch {
	case pdf && info.Size() > history.MaxPDF:
		return content{}, refusal(fmt.Sprintf("it is larger than %d MiB", history.MaxPDF>>20))
	case pdf:
		most = history.MaxPDF
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
		return content{}, refusal("it can't be read: " + err.Error())
	}
	text := append(start, rest...)
	switch {
	case image:
		fitted, err := picture.Fit(text)
		if err != nil {
			return content{}, refusal(err.Error())
		}
		return content{picture: &fitted, hash: history.Digest(text)}, ""
	case pdf:
		return content{pdf: text, hash: history.Digest(text)}, ""
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
	return refusal("it can't be opened: " + err.Error())
}
