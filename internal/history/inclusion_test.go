package history

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Inclusions finds the included files in a text (REQ-HD-006.1, REQ-HD-006.5, D-18, D-19, D-20,
// D-21).
func TestInclusions(t *testing.T) {
	t.Parallel()
	const closer = "--- End of content ---"
	for _, c := range []struct {
		id, text string
		want     []string // "path|the inclusion"
	}{
		{"none", "just words", nil},
		{"empty", "", nil},
		{"one, to the end", "x\n--- a ---\n1\n" + closer, []string{"a|--- a ---\n1\n" + closer}},
		{"the line break after it belongs to it", "--- a ---\n1\n" + closer + "\n\nrest", []string{"a|--- a ---\n1\n" + closer + "\n"}},
		{"empty file", "--- a ---\n" + closer, []string{"a|--- a ---\n" + closer}},
		{"two", "--- a ---\n1\n" + closer + "\n--- b ---\n2\n" + closer + "\n", []string{"a|--- a ---\n1\n" + closer + "\n", "b|--- b ---\n2\n" + closer + "\n"}},
		{"CRLF", "x\r\n--- a ---\r\n1\r\n" + closer + "\r\ny", []string{"a|--- a ---\r\n1\r\n" + closer + "\r\n"}},
		{"path with spaces", "--- my file.txt ---\n1\n" + closer, []string{"my file.txt|--- my file.txt ---\n1\n" + closer}},
		{"a path with room around it", "---   a\t ---\n1\n" + closer, []string{"a|---   a\t ---\n1\n" + closer}},
		{"path with dashes", "--- a --- b ---\n1\n" + closer, []string{"a --- b|--- a --- b ---\n1\n" + closer}},
		{"EC-020 opener alone", "--- a ---\n1\n", nil},
		{"closer alone", "1\n" + closer + "\n", nil},
		{"D-19 the inner opener wins", "--- a ---\nx\n--- b ---\ny\n" + closer, []string{"b|--- b ---\ny\n" + closer}},
		{"D-19 a second closer is text", "--- b ---\ny\n" + closer + "\nz\n" + closer, []string{"b|--- b ---\ny\n" + closer + "\n"}},
		{"D-19 marker within a line", "see --- a ---\n1\n" + closer, nil},
		{"D-19 closer within a line", "--- a ---\n1\n" + closer + " not", nil},
		{"D-19 marker with a trailing space", "--- a --- \n1\n" + closer, nil},
		{"no path", "---  ---\n1\n" + closer, nil},
		{"blank path", "---    ---\n1\n" + closer, nil},
		{"overlapping dashes", "--- ---\n1\n" + closer, nil},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, i := range Inclusions((&Text{Text: c.text}).Imported()) {
				got = append(got, i.Path+"|"+c.text[i.Start:i.End])
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("inclusions (-want +got):\n%s", diff)
			}
		})
	}
}

// D-18: the path in the block decides, whatever the content looks like.
func TestStructuredInclusion(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "x", "x\n--- End of content ---\nleak", "--- b ---\ny\n--- End of content ---\n"} {
		block := NewInclusion("dir/a b", content)
		want := []Inclusion{{Path: "dir/a b", Start: 0, End: len(block.Text)}}
		if diff := cmp.Diff(want, Inclusions(block)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", content, diff)
		}
	}
	if got, want := NewInclusion("a", "x\ny").Text, "--- a ---\nx\ny\n--- End of content ---"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// D-46: a text that only looks like an inclusion is an inclusion in imported documents alone. In
// data and in texts that a user or model wrote, it is plain text.
func TestTextThatLooksLikeAnInclusion(t *testing.T) {
	t.Parallel()
	look := NewInclusion("a", "x").Text
	d, err := ParseDocument([]byte(`{"history":[` + toJSON(t, New(Human, &Text{Text: look}, &Text{Text: look, Source: SourcePiped}, NewInclusion("b", look))) + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, block := range d.History[0].Blocks {
		for _, inclusion := range Inclusions(block.(*Text)) {
			got = append(got, inclusion.Path)
		}
	}
	if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" {
		t.Errorf("inclusions of a document (-want +got):\n%s", diff)
	}
	live := decodeEntry(t, toJSON(t, d.History[0]))
	for _, block := range []*Text{{Text: look}, {Text: look, Source: SourceCommand}, NewData(SourcePasted, "Pasted:", look), live.Blocks[0].(*Text)} {
		if found := Inclusions(block); len(found) > 0 {
			t.Errorf("%+v includes %v", block, found)
		}
	}
}

func toJSON(t *testing.T, c *Content) string {
	t.Helper()
	data, err := c.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// closers counts the lines of text that are closing markers.
func closers(text string) int {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSuffix(line, "\r") == "--- End of content ---" {
			n++
		}
	}
	return n
}

func FuzzInclusions(f *testing.F) {
	f.Add("words", "a", "content")
	f.Add("--- a ---\nx\n", "b", "--- End of content ---\n")
	f.Add("--- a ---\nx\n", "b", "--- End of content ---\xcf")
	f.Add("\r\n--- c ---\r\n", "d e", "--- a ---\r\n\r\n--- End of content ---")
	f.Fuzz(func(t *testing.T, before, path, content string) {
		text := before + "\n" + NewInclusion(path, content).Text + "\n" + content
		end := 0
		for _, i := range Inclusions((&Text{Text: text}).Imported()) {
			if i.Start < end || i.End <= i.Start || i.End > len(text) {
				t.Fatalf("%+v after %d in %q", i, end, text)
			}
			end = i.End
			if i.Start > 0 && text[i.Start-1] != '\n' {
				t.Fatalf("%+v does not begin a line in %q", i, text)
			}
			part := text[i.Start:i.End]
			if !strings.HasPrefix(part, "--- ") || !strings.Contains(part, i.Path) || closers(part) != 1 {
				t.Fatalf("%+v is %q", i, part)
			}
			// An inclusion is found in the same way if it is the whole text.
			alone := Inclusions((&Text{Text: part}).Imported())
			if len(alone) != 1 || alone[0] != (Inclusion{i.Path, 0, len(part)}) {
				t.Fatalf("%q alone gives %+v", part, alone)
			}
		}
		// A path and content without marker lines are returned unchanged.
		if plain := !strings.Contains(path+content, "---") && !strings.ContainsAny(path, "\r\n") && strings.TrimSpace(path) != ""; plain {
			found := Inclusions((&Text{Text: NewInclusion(path, content).Text}).Imported())
			if len(found) != 1 || found[0].Path != strings.TrimSpace(path) {
				t.Fatalf("NewInclusion(%q, %q) is read as %+v", path, content, found)
			}
		}
	})
}
