package tools

import (
	"fmt"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/text/textfile"
	"agent/internal/toolspec"
)

type insertAtLineArgs struct {
	FilePath   string `json:"file_path" jsonschema:"the file to edit, relative to the workspace or absolute"`
	LineNumber int    `json:"line_number" jsonschema:"the line before which to insert, from 1; the number of lines plus 1 appends"`
	Content    string `json:"content" jsonschema:"the lines to insert"`
}

func insertAtLine() Tool {
	return defineEdit(Tool{
		Name:        "insert_at_line",
		Description: "Inserts whole lines before a line of a file that you have read.",
		Traits: Traits{
			Rare:    true,
			Density: toolspec.Density{New: []string{"content"}},
			Words:   toolspec.SameVerbs("editing", "edited", "edit"),
		},
	}, planInsertAtLine)
}

func planInsertAtLine(env *Env, args insertAtLineArgs) (editPlan, error) {
	s, err := env.openKnown(args.FilePath)
	if err != nil {
		return editPlan{}, err
	}
	d := s.document()
	count := d.LineCount()
	if args.LineNumber < 1 || args.LineNumber > count+1 {
		return editPlan{}, fmt.Errorf("line_number %d is outside %s, which has %s; to append, use %d", args.LineNumber, s.rel, humanize.Count(count, "line"), count+1)
	}
	if args.Content == "" {
		return editPlan{}, fmt.Errorf("%s: content is empty: %w", s.rel, errNoChange)
	}
	text := strings.TrimSuffix(textfile.NormalizeLineEnds(args.Content), "\n")
	if appended := args.LineNumber == count+1; appended && d.Text != "" && !strings.HasSuffix(d.Text, "\n") {
		text = "\n" + text
	} else {
		text += "\n"
	}
	at, _ := d.Span(args.LineNumber, args.LineNumber)
	inserted := humanize.Count(strings.Count(text, "\n"), "line")
	return plannedText(s, d.ApplySplices(textfile.Splice{Start: at, End: at, Text: text}), text, fmt.Sprintf("Inserted %s into %s at line %d", inserted, s.rel, args.LineNumber))
}

type deleteLineRangeArgs struct {
	FilePath  string `json:"file_path" jsonschema:"the file to edit, relative to the workspace or absolute"`
	StartLine int    `json:"start_line" jsonschema:"the first line to delete, counted from 1"`
	EndLine   int    `json:"end_line" jsonschema:"the last line to delete, included"`
}

func deleteLineRange() Tool {
	return defineEdit(Tool{
		Name:        "delete_line_range",
		Description: "Deletes whole lines of a file that you have read.",
		Traits: Traits{
			Rare:  true,
			Words: toolspec.SameVerbs("editing", "edited", "edit"),
		},
	}, planDeleteLineRange)
}

func planDeleteLineRange(env *Env, args deleteLineRangeArgs) (editPlan, error) {
	if err := checkRange(args.StartLine, args.EndLine); err != nil {
		return editPlan{}, err
	}
	s, err := env.openKnown(args.FilePath)
	if err != nil {
		return editPlan{}, err
	}
	d := s.document()
	if count := d.LineCount(); args.EndLine > count {
		return editPlan{}, fmt.Errorf("lines %d-%d are not all in %s, which has %s", args.StartLine, args.EndLine, s.rel, humanize.Count(count, "line"))
	}
	start, end := d.Span(args.StartLine, args.EndLine)
	// A file without a final newline has none either after its last line is deleted.
	if end == len(d.Text) && start > 0 && !strings.HasSuffix(d.Text, "\n") {
		start--
	}
	deleted := humanize.Count(args.EndLine-args.StartLine+1, "line")
	return plannedText(s, d.ApplySplices(textfile.Splice{Start: start, End: end}), "", fmt.Sprintf("Deleted %s of %s from line %d", deleted, s.rel, args.StartLine))
}
