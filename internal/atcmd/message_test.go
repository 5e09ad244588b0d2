package atcmd

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
)

// Only typed text is searched for @. Data is in blocks that state their source (D-46).
func TestDataIsNotLookedAt(t *testing.T) {
	t.Parallel()
	root := space(t, map[string]string{"a.go": "package a\n", ".env": "SECRET=1\n"})
	piped := func(text string) Part { return Part{Text: text, Source: history.SourcePiped} }
	pasted := func(text string) Part { return Part{Text: text, Source: history.SourcePasted} }
	typed := func(text string) Part { return Part{Text: text} }
	for _, test := range []struct {
		name    string
		message Message
		want    []string // each block as "source|text"
	}{
		{"an npm log", Message{typed("fix this"), piped("npm ERR! 404 @types/nodee\n")}, []string{"|fix this", "piped|Piped in:\n\n```\nnpm ERR! 404 @types/nodee\n```\n"}},
		{"a key file named in a log", Message{typed("see @a.go"), piped("FAIL see @.env please\nx")}, []string{
			"|see @a.go", "piped|Piped in (2 lines):\n\n```\nFAIL see @.env please\nx\n```\n", "|" + history.NewInclusion("a.go", "package a\n").Text,
		}},
		{"a pipe alone", Message{piped("/set x @.env\n")}, []string{"piped|/set x @.env\n"}},
		{"a decorator in a pasted file", Message{typed("why? "), pasted("@app.route(\"/\")\ndef x(): ...\n"), typed(" @a.go")}, []string{
			"|why? ", "pasted|Pasted (2 lines):\n\n```\n@app.route(\"/\")\ndef x(): ...\n```\n", "| @a.go", "|" + history.NewInclusion("a.go", "package a\n").Text,
		}},
		{"a pasted word", Message{typed("what is "), pasted("@types/node"), typed(" in @a.go?")}, []string{
			"|what is @types/node in @a.go?", "|" + history.NewInclusion("a.go", "package a\n").Text,
		}},
		{"a pasted at sign", Message{pasted("@"), typed("a.go")}, []string{"|@a.go"}},
		{"a fence in data", Message{typed("x"), piped("```\n@.env")}, []string{"|x", "piped|Piped in (2 lines):\n\n````\n```\n@.env\n````\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			said, err := Expand(t.Context(), test.message, Options{Root: root})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, block := range said.Blocks {
				text := block.(*history.Text)
				got = append(got, string(text.Source)+"|"+text.Text)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTrim(t *testing.T) {
	t.Parallel()
	message := Message{{Text: " \n"}, {Text: "a \n"}, {Text: "  b", Source: history.SourcePasted}, {Text: " "}}
	if got := message.Trim(); got.Text() != "a \n  b" || len(got) != 2 {
		t.Errorf("got %+v", got)
	}
	if message[0].Text != " \n" {
		t.Error("the message itself was changed")
	}
	if got := TypedMessage(" ").Trim(); len(got) != 0 || got.FirstTypedByte() != 0 {
		t.Errorf("got %+v", got)
	}
	if TypedMessage("/x").FirstTypedByte() != '/' || (Message{{Text: "/x", Source: history.SourcePasted}}).FirstTypedByte() != 0 {
		t.Error("what a message begins with counts when it was typed")
	}
}
