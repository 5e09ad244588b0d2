// Package picture converts image files to images that models accept. It checks a file before it
// decodes it, scales the image to the size that models use, and chooses a format that all models
// support.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // decoders register themselves
	"image/jpeg"
	"image/png"
	"strings"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // as for image/gif

	"agent/internal/base/humanize"
)

// Limits on images that are read and sent.
const (
	// MaxFileBytes is the size of the largest file that is read.
	MaxFileBytes = 20 << 20
	// MaxBytes is the size of the largest image that is sent, in bytes. Encoded in base64 it has 5
	// MB.
	MaxBytes = 3_750_000
	// LongestSide is the greatest width or height, in pixels. Vendors shrink larger images
	// themselves.
	LongestSide = 1568
	// maxDecoded is the greatest memory use, in bytes, of an image while it is scaled.
	maxDecoded = 224 << 20
)

// Picture is an image in the form in which it is sent to a model.
type Picture struct {
	MimeType      string
	Data          []byte
	Width, Height int
}

// Extensions lists the file name extensions that Fit supports.
var Extensions = []string{".png", ".jpg", ".jpeg", ".gif", ".webp"}

// Fit returns the image in a file, scaled down if it is larger than models use. The error explains
// to the user why the file cannot be sent. Its text continues a sentence after "because ".
func Fit(file []byte) (Picture, error) {
	if len(file) > MaxFileBytes {
		return Picture{}, fmt.Errorf("the file has %s; the limit is %s", humanize.Bytes(int64(len(file))), humanize.Bytes(MaxFileBytes))
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(file))
	switch {
	case errors.Is(err, image.ErrFormat):
		return Picture{}, errors.New("unsupported image format (supported: PNG, JPEG, GIF, WebP)")
	case err != nil:
		return Picture{}, broken(err)
	case config.Width < 1 || config.Height < 1:
		return Picture{}, errors.New("the image is broken: it has no pixels")
	}
	// Each side is below 2³¹, so the product of three cannot overflow.
	if size := int64(config.Width) * int64(config.Height); size > maxDecoded/depth(config.ColorModel) {
		return Picture{}, fmt.Errorf("it is too large: %d × %d pixels (%d megapixels); make it smaller first", config.Width, config.Height, size/1_000_000)
	}
	// Even an image that needs no change is decoded. A vendor refuses a broken image, and then
	// every later request of the conversation fails.
	decoded, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return Picture{}, broken(err)
	}
	held := upright
	if format == "jpeg" {
		held = orientation(file)
	}
	if max(config.Width, config.Height) <= LongestSide && len(file) <= MaxBytes && held == upright {
		return Picture{"image/" + format, file, config.Width, config.Height}, nil
	}
	return encode(turn(scale(decoded), held), format)
}

func broken(err error) error {
	return fmt.Errorf("the image is broken: %s", strings.TrimPrefix(err.Error(), "image: "))
}

// depth returns the greatest number of bytes of a decoded pixel.
func depth(model color.Model) int64 {
	switch model {
	case color.RGBA64Model, color.NRGBA64Model, color.Gray16Model:
		return 8
	}
	return 4
}

// scale returns the image scaled down to LongestSide, if it is larger.
func scale(from image.Image) image.Image {
	size := from.Bounds().Size()
	longest := max(size.X, size.Y)
	if longest <= LongestSide {
		return from
	}
	to := image.NewNRGBA(image.Rect(0, 0, max(1, size.X*LongestSide/longest), max(1, size.Y*LongestSide/longest)))
	draw.ApproxBiLinear.Scale(to, to.Bounds(), from, from.Bounds(), draw.Src, nil)
	return to
}

// encode encodes drawings as PNG, which keeps text sharp, and photographs as JPEG. A drawing that
// is too large as PNG becomes a JPEG.
func encode(scaled image.Image, format string) (Picture, error) {
	size := scaled.Bounds().Size()
	var out bytes.Buffer
	if format != "jpeg" {
		if err := png.Encode(&out, scaled); err != nil {
			return Picture{}, err
		}
		if out.Len() <= MaxBytes {
			return Picture{"image/png", out.Bytes(), size.X, size.Y}, nil
		}
		out.Reset()
	}
	// JPEG has no transparency, so the image is drawn on a white background.
	opaque := image.NewRGBA(image.Rect(0, 0, size.X, size.Y))
	draw.Draw(opaque, opaque.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(opaque, opaque.Bounds(), scaled, scaled.Bounds().Min, draw.Over)
	if err := jpeg.Encode(&out, opaque, &jpeg.Options{Quality: 85}); err != nil {
		return Picture{}, err
	}
	return Picture{"image/jpeg", out.Bytes(), size.X, size.Y}, nil
}
