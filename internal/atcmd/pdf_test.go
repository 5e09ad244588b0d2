package atcmd

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"
)

const aPDF = "%PDF-1.4\n\x00rest"

// A PDF that is mentioned is sent as a document, or as the text of the pages after its name. Each
// range of pages has its own key. A PDF in a folder is omitted.
func TestPDF(t *testing.T) {
	t.Parallel()
	root := space(t, map[string]string{"a.pdf": aPDF, "my b.PDF": aPDF, "sub/c.pdf": aPDF, "more/d.pdf": aPDF, "a.go": "x\n"})
	var asked []string
	options := Options{Root: root, PDF: func(_ context.Context, name string, content []byte, pages PageRange) (string, bool, error) {
		asked = append(asked, name+pages.String())
		if string(content) != aPDF {
			t.Errorf("the content is %q", content)
		}
		if name == "sub/c.pdf" {
			return "", false, errors.New("it says how")
		}
		return "text of " + name + pages.String(), pages == PageRange{}, nil
	}}
	got, err := Expand(t.Context(), TypedMessage(`@a.pdf @a.pdf:3-5, @a.pdf:3-5 and @"my b.PDF":7. Or @a.pdf:9- @a.go:3 @sub/c.pdf @more`), options)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a.pdf", "a.pdf:3-5", "my b.PDF:7", "a.pdf:9-", "sub/c.pdf"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	if want := []string{"a.pdf", "a.pdf:3-5", "my b.PDF:7", "a.pdf:9-", "a.go"}; !slices.Equal(included(got), want) {
		t.Errorf("included %q, want %q", included(got), want)
	}
	whole, is := got.Blocks[1].(*history.Media)
	if !is || whole.MimeType != "application/pdf" || got.Included[0].Hash != history.Digest(aPDF) || got.Included[1].Hash != history.Digest(aPDF) {
		t.Errorf("the document is %+v of %+v", got.Blocks[1], got.Included[0])
	}
	pages, is := got.Blocks[2].(*history.Text)
	if !is || !strings.Contains(pages.Text, "text of a.pdf:3-5") || pages.Key != "pdf:a.pdf:3-5" || pages.Source == "" {
		t.Errorf("the pages are %+v", got.Blocks[2])
	}
	if len(got.Skipped) != 2 || got.Skipped[0] != (SkippedPath{"sub/c.pdf", "it says how"}) || got.Skipped[1].Reason != string(binary) {
		t.Errorf("left out: %+v", got.Skipped)
	}
	if got := expand(t, root, "@a.pdf"); len(got.Included) > 0 || len(got.Skipped) != 1 {
		t.Errorf("without a reader: %+v", got)
	}
}
