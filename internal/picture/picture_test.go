package picture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// noise returns an image that no format can compress.
func noise(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(m.Pix)
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] |= 0x80
	}
	return m
}

func plain(width, height int) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = 200
	}
	return m
}

func encoded(t testing.TB, m image.Image, format string) []byte {
	t.Helper()
	var out bytes.Buffer
	var err error
	switch format {
	case "png":
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, m)
	case "jpeg":
		err = jpeg.Encode(&out, m, nil)
	case "gif":
		err = gif.Encode(&out, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// pngWithSize returns a small PNG whose header contains another size.
func pngWithSize(t testing.TB, width, height uint32) []byte {
	t.Helper()
	file := encoded(t, plain(8, 8), "png")
	header := file[12:29] // the IHDR chunk
	binary.BigEndian.PutUint32(header[4:], width)
	binary.BigEndian.PutUint32(header[8:], height)
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(header))
	return file
}

func TestFit(t *testing.T) {
	t.Parallel()
	small := encoded(t, plain(300, 200), "png")
	for _, tt := range []struct {
		name          string
		file          []byte
		kind          string
		width, height int
		same          bool
	}{
		{"small stays as it is", small, "image/png", 300, 200, true},
		{"a small JPEG", encoded(t, plain(300, 200), "jpeg"), "image/jpeg", 300, 200, true},
		{"a small GIF", encoded(t, plain(300, 200), "gif"), "image/gif", 300, 200, true},
		{"a wide drawing", encoded(t, plain(4000, 1000), "png"), "image/png", 1568, 392, false},
		{"a tall photograph", encoded(t, plain(1000, 4000), "jpeg"), "image/jpeg", 392, 1568, false},
		{"a line", encoded(t, plain(20000, 1), "png"), "image/png", 1568, 1, false},
		{"of 5 MB", encoded(t, noise(1000, 1000), "png"), "image/jpeg", 1000, 1000, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Fit(tt.file)
			if err != nil || got.MimeType != tt.kind || got.Width != tt.width || got.Height != tt.height || bytes.Equal(got.Data, tt.file) != tt.same {
				t.Fatalf("%s %d × %d, %v", got.MimeType, got.Width, got.Height, err)
			}
			if config, format, err := image.DecodeConfig(bytes.NewReader(got.Data)); err != nil || "image/"+format != tt.kind || config.Width != tt.width || config.Height != tt.height || len(got.Data) > MaxBytes {
				t.Errorf("it holds %s %+v in %d bytes, %v", format, config, len(got.Data), err)
			}
		})
	}
}

func TestTransparentBecomesWhite(t *testing.T) {
	t.Parallel()
	clear := noise(1200, 1200)
	for y := range 1200 {
		for x := range 200 {
			clear.SetNRGBA(x, y, color.NRGBA{})
		}
	}
	got, err := Fit(encoded(t, clear, "png"))
	if err != nil || got.MimeType != "image/jpeg" {
		t.Fatal(got.MimeType, err)
	}
	decoded, err := jpeg.Decode(bytes.NewReader(got.Data))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := decoded.At(100, 100).RGBA(); min(r, g, b) < 0xf000 {
		t.Errorf("what was transparent is %x %x %x", r, g, b)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	whole := encoded(t, noise(200, 200), "png")
	for name, tt := range map[string]struct {
		file []byte
		says string
	}{
		"text":              {[]byte("hello"), "unsupported image format"},
		"nothing":           {nil, "unsupported image format"},
		"cut":               {whole[:len(whole)/2], "broken"},
		"a header only":     {whole[:20], "broken"},
		"damaged":           {slices.Concat(whole[:500], []byte("xxxx"), whole[504:]), "broken"},
		"100 megapixels":    {pngWithSize(t, 10000, 10000), "10000 × 10000 pixels (100 megapixels)"},
		"the largest claim": {pngWithSize(t, 1<<31-1, 1<<31-1), "broken"},
		"no pixels":         {pngWithSize(t, 0, 8), "broken"},
		"too many bytes":    {make([]byte, MaxFileBytes+1), "the limit is"},
	} {
		if got, err := Fit(tt.file); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %d × %d, %v", name, got.Width, got.Height, err)
		}
	}
}

func TestDropped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain, odd := filepath.Join(dir, "shot.PNG"), filepath.Join(dir, "it's a (shot) é.jpg")
	for _, path := range []string{plain, odd, filepath.Join(dir, "notes.txt")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.png"), 0o700); err != nil {
		t.Fatal(err)
	}
	address := "/" + strings.TrimPrefix(filepath.ToSlash(dir), "/")
	escaped := strings.NewReplacer("'", `\'`, "(", `\(`, ")", `\)`, " ", `\ `).Replace(odd)
	quoted := "'" + strings.ReplaceAll(odd, "'", `'\''`) + "'"
	if filepath.Separator != '/' {
		escaped, quoted = `"`+odd+`"`, `"`+odd+`"`
	}
	for _, tt := range []struct {
		text string
		want []string
	}{
		{plain, []string{plain}},
		{plain + " \n", []string{plain}},
		{"'" + plain + "'", []string{plain}},
		{escaped, []string{odd}},
		{quoted, []string{odd}},
		{`"` + odd + `" ` + plain, []string{odd, plain}},
		{"file://" + address + "/it's%20a%20(shot)%20%C3%A9.jpg", nil}, // a quote without an end
		{"file://" + address + "/shot.PNG", []string{plain}},
		{"file://%zz.png", nil},
		{"shot.PNG", nil},
		{"see " + plain, nil},
		{filepath.Join(dir, "notes.txt"), nil},
		{filepath.Join(dir, "folder.png"), nil},
		{filepath.Join(dir, "none.png"), nil},
		{"", nil},
	} {
		if got := ImagesInPaste(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%q names %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzFit(f *testing.F) {
	f.Add(encoded(f, plain(20, 10), "png"))
	f.Add(encoded(f, plain(20, 10), "jpeg"))
	f.Add(encoded(f, plain(20, 10), "gif"))
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := Fit(file)
		if err == nil && (len(got.Data) > MaxBytes || max(got.Width, got.Height) > LongestSide || min(got.Width, got.Height) < 1) {
			t.Errorf("%d × %d in %d bytes", got.Width, got.Height, len(got.Data))
		}
	})
}
