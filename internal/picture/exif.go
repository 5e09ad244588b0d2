package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"slices"
)

// The orientations of an image, as Exif numbers them. Models ignore Exif, so the image must be
// rotated.
const (
	upright         = 1
	sideways        = 5 // from this value on, width and height are swapped
	mostOrientation = 8
)

// orientation returns the orientation of the image in a JPEG file. It returns upright if the file
// does not contain one.
func orientation(file []byte) int {
	const (
		application = 0xe1
		scan        = 0xda
		header      = 4
	)
	if !bytes.HasPrefix(file, []byte{0xff, 0xd8}) {
		return upright
	}
	for rest := file[2:]; len(rest) > header && rest[0] == 0xff && rest[1] != scan; {
		size := int(binary.BigEndian.Uint16(rest[2:])) + 2
		if size < header || size > len(rest) {
			return upright
		}
		if tiff, is := bytes.CutPrefix(rest[header:size], []byte("Exif\x00\x00")); is && rest[1] == application {
			return orientationTag(tiff)
		}
		rest = rest[size:]
	}
	return upright
}

// orientationTag returns the orientation in the first directory of a TIFF file.
func orientationTag(tiff []byte) int {
	const (
		begin, entry = 8, 12
		tag          = 0x0112
	)
	if len(tiff) < begin {
		return upright
	}
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return upright
	}
	directory := tiff[at:]
	count := int(order.Uint16(directory))
	for directory = directory[2:]; count > 0 && len(directory) >= entry; count-- {
		if order.Uint16(directory) == tag {
			if turned := int(order.Uint16(directory[8:])); turned >= upright && turned <= mostOrientation {
				return turned
			}
			return upright
		}
		directory = directory[entry:]
	}
	return upright
}

// turn returns the image rotated and mirrored to upright orientation.
func turn(from image.Image, orientation int) image.Image {
	if orientation == upright {
		return from
	}
	b := from.Bounds()
	w, h := b.Dx(), b.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= sideways {
		size = image.Rect(0, 0, h, w)
	}
	to := image.NewNRGBA(size)
	for y := range size.Dy() {
		for x := range size.Dx() {
			sx, sy := source(orientation, x, y, w, h)
			to.Set(x, y, from.At(b.Min.X+sx, b.Min.Y+sy))
		}
	}
	return to
}

// source returns the position, in the original image of w by h pixels, of a pixel of the upright
// image.
func source(orientation, x, y, w, h int) (sx, sy int) {
	sx, sy = x, y
	if orientation >= sideways {
		sx, sy = y, x
	}
	if slices.Contains([]int{2, 3, 7, 8}, orientation) {
		sx = w - 1 - sx
	}
	if slices.Contains([]int{3, 4, 6, 7}, orientation) {
		sy = h - 1 - sy
	}
	return sx, sy
}
