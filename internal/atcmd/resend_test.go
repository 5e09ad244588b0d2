package atcmd

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
)

// A message that is restored equals the sent one, without the content that it included. D-46
// applies to restored messages too.
func TestRestoredMessage(t *testing.T) {
	t.Parallel()
	root := space(t, map[string]string{"a.go": "package a\n"})
	for name, message := range map[string]Message{
		"words":          TypedMessage("why?"),
		"a file":         TypedMessage("see @a.go please"),
		"pasted lines":   {{Text: "look: "}, {Text: "@.env\nx", Source: history.SourcePasted}, {Text: " why?"}},
		"pasted alone":   {{Text: "/set x", Source: history.SourcePasted}},
		"a fence":        {{Text: "x"}, {Text: "```\na\n```", Source: history.SourcePiped}},
		"like a title":   {{Text: "Pasted:\n\n```\nno data"}},
		"piped, and ``":  {{Text: "x"}, {Text: "Pasted:\n\n````\nb", Source: history.SourcePiped}},
		"nothing closed": {{Text: "Piped in:\n\nno fence", Source: history.SourcePiped}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, err := Expand(t.Context(), message, Options{Root: root})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(message, MessageOf(history.New(history.Human, said.Blocks...))); diff != "" {
				t.Errorf("came back (-want +got):\n%s", diff)
			}
		})
	}
}
