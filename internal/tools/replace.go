package tools

import (
	"fmt"
	"strings"

	"agent/internal/text/lines"
	"agent/internal/text/textfile"
	"agent/internal/traits"
)

type replaceArgs struct {
	FilePath             string `json:"file_path" jsonschema:"the file to edit, relative to the workspace or absolute"`
	OldString            string `json:"old_string" jsonschema:"the text to replace, exactly as in the file with all its whitespace; enough of it to occur once"`
	NewString            string `json:"new_string" jsonschema:"the text to put in its place; may be empty"`
	ExpectedReplacements int    `json:"expected_replacements,omitempty" jsonschema:"how often old_string occurs, all of which are replaced; default 1"`
}

func replace() Tool {
	return defineEdit(Tool{
		Name: "replace",
		Description: "Replaces text in a file. old_string must be in the file exactly, and as often as expected_replacements says; " +
			"otherwise nothing is written and the closest lines are shown. Line ends need not be CRLF for a file that has them.",
		Traits: Traits{
			Density:   traits.Density{Old: []string{"old_string"}, New: []string{"new_string"}},
			Essential: true,
			Words:     traits.Say("editing", "edited", "edit"),
		},
	}, planReplace)
}

// prunedMarker is how notes begin that stand where density took text out of the
// conversation. The model must not take one for text of a file.
const prunedMarker = "[pruned: "

func planReplace(env *Env, args replaceArgs) (change, error) {
	want := max(args.ExpectedReplacements, 1)
	switch {
	case args.ExpectedReplacements < 0:
		return change{}, fmt.Errorf("expected_replacements must be at least 1, not %d", args.ExpectedReplacements)
	case args.OldString == "":
		return change{}, fmt.Errorf("old_string is empty; write_file creates a file, insert_at_line adds lines")
	case args.OldString == args.NewString:
		return change{}, fmt.Errorf("old_string and new_string are the same: %w", errNoChange)
	}
	s, err := env.openToEdit(args.FilePath)
	if err != nil {
		return change{}, err
	}
	d := textfile.Parse(s.whole)
	old := strings.TrimPrefix(textfile.PlainEnds(args.OldString), textfile.ByteOrderMark)
	places := occurrences(d.Text, old)
	switch {
	case len(places) == 0 && strings.HasPrefix(strings.TrimSpace(old), prunedMarker):
		return change{}, fmt.Errorf("old_string is a note that stands where text was pruned from this conversation, not text of %s; nothing was written. Read the file again and quote that", s.rel)
	case len(places) == 0:
		return change{}, notFound(s.rel, d.Text, old, textfile.PlainEnds(args.NewString))
	case len(places) != want:
		return change{}, fmt.Errorf("old_string occurs %s in %s, not %d: at %s; nothing was written. %s",
			times(len(places)), s.rel, want, lineList(d.Text, places), moreContext(len(places)))
	}
	splices := make([]textfile.Splice, len(places))
	for i, at := range places {
		splices[i] = textfile.Splice{Start: at, End: at + len(old), Text: args.NewString}
	}
	return planned(s, d.With(splices...), fmt.Sprintf("Replaced %s in %s", times(len(places)), s.rel))
}

// occurrences returns where old is in text, overlaps left out.
func occurrences(text, old string) []int {
	var places []int
	for at := 0; old != ""; {
		i := strings.Index(text[at:], old)
		if i < 0 {
			break
		}
		places = append(places, at+i)
		at += i + len(old)
	}
	return places
}

// maxListedLines bounds the line numbers listed in an error.
const maxListedLines = 20

// lineList names the lines of the places.
func lineList(text string, places []int) string {
	var out strings.Builder
	out.WriteString("line")
	if len(places) > 1 {
		out.WriteByte('s')
	}
	for i, at := range places[:min(len(places), maxListedLines)] {
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, " %d", lines.At(text, at))
	}
	if len(places) > maxListedLines {
		out.WriteString(", …")
	}
	return out.String()
}

func moreContext(found int) string {
	if found == 1 {
		return "Set expected_replacements to 1"
	}
	return fmt.Sprintf("Add lines around it to name one place, or set expected_replacements to %d", found)
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
