package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"testing"
)

// rotatedJPEG returns a JPEG of a rotated camera. The sensor's image is red on the left and blue on the
// right.
func rotatedJPEG(t testing.TB, tag []byte) []byte {
	t.Helper()
	const side = 32
	drawing := image.NewNRGBA(image.Rect(0, 0, 2*side, side))
	for y := range side {
		for x := range 2 * side {
			c := color.NRGBA{R: 255, A: 255}
			if x >= side {
				c = color.NRGBA{B: 255, A: 255}
			}
			drawing.Set(x, y, c)
		}
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, drawing, nil); err != nil {
		t.Fatal(err)
	}
	if tag == nil {
		return file.Bytes()
	}
	payload := append([]byte("Exif\x00\x00"), tag...)
	size := len(payload) + 2
	segment := append([]byte{0xff, 0xe1, byte(size >> 8), byte(size)}, payload...)
	return append(append([]byte{0xff, 0xd8}, segment...), file.Bytes()[2:]...)
}

func exif(little bool, orientation byte) []byte {
	if little {
		return []byte{'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0}
	}
	return []byte{'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0}
}

// A rotated photo is sent upright, because models ignore the orientation tag.
func TestOrientation(t *testing.T) {
	t.Parallel()
	// The position of the red half after the rotation.
	for orientation, red := range map[byte]string{1: "left", 2: "right", 3: "right", 4: "left", 5: "above", 6: "above", 7: "below", 8: "below", 0: "left", 9: "left"} {
		for _, little := range []bool{true, false} {
			file := rotatedJPEG(t, exif(little, orientation))
			fitted, err := Fit(file)
			if err != nil {
				t.Fatal(err)
			}
			shown, _, err := image.Decode(bytes.NewReader(fitted.Data))
			if err != nil {
				t.Fatal(err)
			}
			size := shown.Bounds().Size()
			isRed := func(x, y int) bool { r, _, b, _ := shown.At(x, y).RGBA(); return r > b }
			got := fmt.Sprint(isRed(4, 4), isRed(size.X-5, 4), isRed(4, size.Y-5))
			want := map[string]string{"left": "true false true", "right": "false true false", "above": "true true false", "below": "false false true"}[red]
			if got != want || (size.X > size.Y) != (red == "left" || red == "right") || fitted.Width != size.X {
				t.Errorf("%d: red %s, want it %s; %v", orientation, got, red, size)
			}
			if (orientation == 1) != bytes.Equal(fitted.Data, file) && orientation > 0 && orientation < 9 {
				t.Errorf("%d: the file was changed, or not", orientation)
			}
		}
	}
}

// FuzzOrientation checks that no file causes a panic.
func FuzzOrientation(f *testing.F) {
	f.Add(rotatedJPEG(f, exif(true, 6)))
	f.Add(rotatedJPEG(f, []byte("II")))
	f.Add([]byte{0xff, 0xd8, 0xff, 0xe1, 0, 1})
	f.Fuzz(func(t *testing.T, file []byte) {
		if o := orientation(file); o < upright || o > mostOrientation {
			t.Errorf("%d", o)
		}
	})
}
