package tools

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/text/lines"
	"agent/internal/text/quote"
	"agent/internal/text/textfile"
	"agent/internal/tools/decode"
	"agent/internal/toolspec"
)

// replaceSchema holds the parameters that requests declare.
type replaceSchema struct {
	FilePath   string      `json:"file_path"`
	OldString  string      `json:"old_string,omitempty" jsonschema:"exact text of the file, long enough to occur only once"`
	NewString  string      `json:"new_string,omitempty"`
	ReplaceAll bool        `json:"replace_all,omitempty" jsonschema:"replace every occurrence"`
	Edits      []shownEdit `json:"edits,omitempty" jsonschema:"instead of old_string and new_string: up to 50 edits, all or none, each matched against the unchanged file"`
}

// A shownEdit is one of several edits in the form that requests declare.
type shownEdit struct {
	OldString  string `json:"old_string"`
	NewString  string `json:"new_string"`
	ReplaceAll bool   `json:"replace_all,omitempty"`
}

// replaceArgs holds the arguments that a call may have. These include several edits in one call,
// and the required number of occurrences.
type replaceArgs struct {
	FilePath string `json:"file_path"`
	textEdit
	ExpectedReplacements int        `json:"expected_replacements,omitempty"`
	Edits                []textEdit `json:"edits,omitempty"`
}

// A textEdit replaces one text by another.
type textEdit struct {
	OldString  string `json:"old_string,omitempty"`
	NewString  string `json:"new_string,omitempty"`
	ReplaceAll bool   `json:"replace_all,omitempty"`
}

func replace() Tool {
	return defineEdit(Tool{
		Name:        "replace",
		Description: "Replaces text in a file. If old_string does not match, nothing is written and the closest lines are shown.",
		offers:      decode.ParametersOf[replaceSchema]().JSON,
		Traits: Traits{
			Density:   toolspec.Density{Old: []string{"old_string"}, New: []string{"new_string"}, List: []string{"edits"}},
			Essential: true,
			Words:     toolspec.SameVerbs("editing", "edited", "edit"),
		},
	}, planReplace)
}

const maxEdits = 50

// prunedMarker is the start of the placeholders of pruned text. The model must not mistake a
// placeholder for text of a file.
const prunedMarker = "[pruned: "

func planReplace(env *Env, args replaceArgs) (editPlan, error) {
	edits := args.Edits
	switch {
	case args.ExpectedReplacements < 0:
		return editPlan{}, fmt.Errorf("expected_replacements must be at least 1, not %d", args.ExpectedReplacements)
	case len(edits) == 0:
		edits = []textEdit{args.textEdit}
	case len(edits) > maxEdits:
		return editPlan{}, fmt.Errorf("edits has %d items; the limit is %d. Send the rest in another call. Nothing was written", len(edits), maxEdits)
	case args.OldString != "":
		return editPlan{}, errors.New("give either old_string and new_string, or edits; nothing was written")
	}
	for i, e := range edits {
		if err := e.check(); err != nil {
			return editPlan{}, numberError(edits, i, err)
		}
	}
	s, err := env.openToEdit(args.FilePath)
	if err != nil {
		return editPlan{}, err
	}
	d := s.document()
	r := replacing{rel: s.rel, text: d.Text, want: args.ExpectedReplacements, exact: env.Limits.ExactEdits}
	for i, e := range edits {
		if err := r.add(i, e); err != nil {
			return editPlan{}, numberError(edits, i, afterEarlier(edits[:i], e, err))
		}
	}
	splices, err := r.splices()
	if err != nil {
		return editPlan{}, err
	}
	var given strings.Builder
	for _, splice := range splices {
		given.WriteString(textfile.NormalizeLineEnds(splice.Text) + "\n")
	}
	planned, err := plannedText(s, d.ApplySplices(splices...), given.String(), fmt.Sprintf("%sReplaced %s in %s", r.shifted, times(len(splices)), s.rel))
	planned.show, planned.spread = r.shifted != "", len(splices) > len(edits)
	return planned, err
}

// afterEarlier adds the cause to an error if the text of an edit occurs in the new text of an
// earlier edit.
func afterEarlier(earlier []textEdit, e textEdit, err error) error {
	for i, before := range earlier {
		if strings.Contains(before.NewString, e.OldString) {
			return fmt.Errorf("its old_string is in the new text of edit %d, but each edit is matched against the file as it was: %w", i+1, err)
		}
	}
	return err
}

// numberError adds the number of the failed edit to an error if a call has several edits.
func numberError(edits []textEdit, i int, err error) error {
	if len(edits) == 1 {
		return err
	}
	return fmt.Errorf("no edit was made: edit %d of %d: %w", i+1, len(edits), err)
}

func (e textEdit) check() error {
	switch {
	case e.OldString == "":
		return errors.New("old_string is empty; to add text, quote the lines next to it; to create a file, use write_file")
	case e.OldString == e.NewString:
		return errors.New("old_string and new_string are the same, so there is nothing to change")
	}
	return nil
}

// replacing collects the replacements of all edits. Each edit refers to the original text.
type replacing struct {
	rel, text string
	// want is the required number of occurrences, 0 for one.
	want int
	// exact refuses lines that differ from the file's lines in whitespace.
	exact  bool
	places []placed
	// shifted is a note to the model that the indentation of an edit was adapted.
	shifted string
}

// placed is a part of the text, and the index of the edit that replaces it.
type placed struct {
	textfile.Splice
	edit int
}

// add finds the occurrences of an edit's text.
func (r *replacing) add(edit int, e textEdit) error {
	old := strings.TrimPrefix(textfile.NormalizeLineEnds(e.OldString), textfile.ByteOrderMark)
	places := occurrences(r.text, old)
	want := max(r.want, 1)
	switch {
	case len(places) == 0 && strings.HasPrefix(strings.TrimSpace(old), prunedMarker):
		return fmt.Errorf("old_string is a placeholder for pruned text, not text of %s; nothing was written. Read the file again and quote that", r.rel)
	case len(places) == 0:
		return r.addShifted(edit, old, textfile.NormalizeLineEnds(e.NewString))
	case !(e.ReplaceAll && r.want == 0) && len(places) != want:
		remedy := "Add the lines around it so that it occurs once, or set replace_all to replace all of them"
		if len(places) == 1 {
			remedy = "Omit expected_replacements"
		}
		for i, at := range places {
			places[i] = lines.LineNumber(r.text, at)
		}
		return fmt.Errorf("old_string occurs %s in %s, not %d: at %s; nothing was written. %s", times(len(places)), r.rel, want, lines.Numbers(places), remedy)
	}
	for _, at := range places {
		r.places = append(r.places, placed{textfile.Splice{Start: at, End: at + len(old), Text: e.NewString}, edit})
	}
	return nil
}

// addShifted finds the location of an edit whose text does not occur literally in the file.
func (r *replacing) addShifted(edit int, old, new string) error {
	splice, note, err := quote.Find(r.rel, r.text, old, new, r.exact)
	if err != nil {
		return err
	}
	r.places = append(r.places, placed{splice, edit})
	if r.shifted == "" || note == quote.IndentationShifted {
		r.shifted = note
	}
	return nil
}

// splices returns all replacements in order, or an error if two overlap.
func (r *replacing) splices() ([]textfile.Splice, error) {
	slices.SortStableFunc(r.places, func(a, b placed) int { return a.Start - b.Start })
	all := make([]textfile.Splice, len(r.places))
	for i, p := range r.places {
		if i > 0 && p.Start < r.places[i-1].End {
			one, other := min(p.edit, r.places[i-1].edit)+1, max(p.edit, r.places[i-1].edit)+1
			return nil, fmt.Errorf("edits %d and %d overlap at line %d of %s; nothing was written. Combine them into one edit", one, other, lines.LineNumber(r.text, p.Start), r.rel)
		}
		all[i] = p.Splice
	}
	return all, nil
}

// occurrences returns the offsets of old in text, without overlaps.
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

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
