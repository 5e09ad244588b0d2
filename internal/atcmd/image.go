package atcmd

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"

	"agent/internal/base/fsutil"
	"agent/internal/history"
	"agent/internal/picture"
)

// MaxImages limits the images of a message.
const MaxImages = 20

var tooManyImages = fmt.Sprintf("a message can have at most %d images", MaxImages)

// An ImageError is the reason why an image that a user picked cannot be sent. The message must
// not be sent then.
type ImageError struct{ Path, Reason string }

func (e *ImageError) Error() string {
	return fmt.Sprintf("Not sent: can't attach %s: %s", e.Path, e.Reason)
}

// images returns the blocks of the images that were picked by hand, in their order. Unlike
// mentioned files they may lie outside the workspace, because a user named them.
func images(message Message, noImages string) (blocks []history.Block, included []IncludedFile, err error) {
	for _, part := range message {
		if part.Image == "" {
			continue
		}
		reason := noImages
		if reason == "" && len(blocks) == MaxImages {
			reason = tooManyImages
		}
		if reason != "" {
			return nil, nil, &ImageError{part.Image, reason}
		}
		fitted, hash, err := readImage(part.Image)
		if err != nil {
			return nil, nil, &ImageError{part.Image, err.Error()}
		}
		blocks = append(blocks, mediaBlock(fitted))
		included = append(included, IncludedFile{Path: part.Image, Bytes: len(fitted.Data), Hash: hash})
	}
	return blocks, included, nil
}

// readImage reads an image from a regular file, and returns the history.Digest of the file. It
// refuses other files, because opening a pipe would wait for its writer.
func readImage(path string) (fitted picture.Picture, hash string, err error) {
	content, err := fsutil.ReadBeginning(path, picture.MaxFileBytes+1)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return picture.Picture{}, "", errors.New("there is no such file")
	case errors.Is(err, fsutil.ErrNoFile):
		return picture.Picture{}, "", errors.New("it is not a file")
	case err != nil:
		return picture.Picture{}, "", errors.New(string(openRefusal(err)))
	}
	fitted, err = picture.Fit(content)
	return fitted, history.Digest(content), err
}

func mediaBlock(p picture.Picture) *history.Media {
	return &history.Media{MimeType: p.MimeType, Data: base64.StdEncoding.EncodeToString(p.Data), Width: p.Width, Height: p.Height}
}
