package atcmd

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	pngs "image/png"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/testing/fifo"
)

// shot returns a PNG file of the given size.
func shot(t testing.TB, width, height int) string {
	t.Helper()
	var out bytes.Buffer
	if err := pngs.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestMentionedImages covers D-71 for images that a message mentions with @.
func TestMentionedImages(t *testing.T) {
	t.Parallel()
	small := shot(t, 30, 20)
	root := space(t, map[string]string{"pic": small, "wide.png": shot(t, 3136, 2), "cut.png": small[:len(small)-20]})
	got, err := Expand(t.Context(), TypedMessage("see @pic, @wide.png and @cut.png"), Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	want := &history.Media{MimeType: "image/png", Data: base64.StdEncoding.EncodeToString([]byte(small)), Width: 30, Height: 20}
	if diff := cmp.Diff(toJSON(t, []history.Block{want}), toJSON(t, got.Blocks[1:2])); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	if wide, ok := got.Blocks[2].(*history.Media); !ok || wide.Width != 1568 {
		t.Errorf("the wide one is %+v", got.Blocks[2])
	}
	if len(got.Skipped) != 1 || got.Skipped[0].Path != "cut.png" || !strings.Contains(got.Skipped[0].Reason, "broken") {
		t.Errorf("skipped %v", got.Skipped)
	}
	got, err = Expand(t.Context(), TypedMessage("see @pic"), Options{Root: root, NoImages: "it is blind"})
	if err != nil || len(got.Blocks) != 1 || len(got.Skipped) != 1 || got.Skipped[0].Reason != "it is blind" {
		t.Errorf("%+v %v", got, err)
	}
}

// TestPickedImages checks images that the user picks. They may be in any folder, and follow the
// text in their order. An image that cannot be sent gives an error.
func TestPickedImages(t *testing.T) {
	t.Parallel()
	root := space(t, map[string]string{"a.go": "package a\n"})
	elsewhere := space(t, map[string]string{"@a.go.png": shot(t, 5, 5), "b.png": shot(t, 6, 6), "not.png": "text"})
	if err := fifo.Make(t, filepath.Join(elsewhere, "fifo.png")); err != nil {
		t.Fatal(err)
	}
	picked := func(name string) Part { return ImagePart(filepath.Join(elsewhere, name)) }
	for _, text := range []string{" differ?", " differ from @a.go?"} {
		message := Message{{Text: "how do "}, picked("@a.go.png"), {Text: " and "}, picked("b.png"), {Text: text}}
		got, err := Expand(t.Context(), message, Options{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		if said := got.Blocks[0].(*history.Text).Text; said != "how do [image @a.go.png] and [image b.png]"+text {
			t.Errorf("the text is %q", said)
		}
		for i, width := range []int{5, 6} {
			if m, ok := got.Blocks[1+i].(*history.Media); !ok || m.Width != width {
				t.Errorf("block %d is %+v", 1+i, got.Blocks[1+i])
			}
		}
		if mentions := strings.Contains(text, "@"); (len(got.Blocks) == 4) != mentions || (len(got.Included) == 3) != mentions {
			t.Errorf("included %+v", got.Included)
		}
	}
	for name, says := range map[string]string{"none.png": "no such file", "not.png": "unsupported image format", "fifo.png": "not a file", ".": "not a file"} {
		var refused *ImageError
		if _, err := Expand(t.Context(), Message{picked(name)}, Options{Root: root}); !errors.As(err, &refused) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Expand(t.Context(), Message{picked("b.png")}, Options{Root: root, NoImages: "it is blind"}); err == nil || !strings.Contains(err.Error(), "it is blind") {
		t.Errorf("a model that cannot see: %v", err)
	}
	var many Message
	for range MaxImages + 1 {
		many = append(many, picked("b.png"))
	}
	if _, err := Expand(t.Context(), many, Options{Root: root}); err == nil || !strings.Contains(err.Error(), "at most 20 images") {
		t.Errorf("too many: %v", err)
	}
}
