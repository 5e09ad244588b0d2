package tools

import (
	"fmt"
	"strings"

	"agent/internal/text/textfile"
	"agent/internal/traits"
	"agent/internal/words"
)

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
			Words: traits.Say("editing", "edited", "edit"),
		},
	}, planDeleteLineRange)
}

func planDeleteLineRange(env *Env, args deleteLineRangeArgs) (change, error) {
	if err := checkRange(args.StartLine, args.EndLine); err != nil {
		return change{}, err
	}
	s, err := env.openToEdit(args.FilePath)
	if err != nil {
		return change{}, err
	}
	if err := env.mustKnow(s); err != nil {
		return change{}, err
	}
	d := textfile.Parse(s.whole)
	if count := d.Count(); args.EndLine > count {
		return change{}, fmt.Errorf("lines %d-%d are not in %s, which has %s", args.StartLine, args.EndLine, s.rel, words.Count(count, "line"))
	}
	start, end := d.Span(args.StartLine, args.EndLine)
	// A file without final newline keeps having none when its last line is deleted.
	if end == len(d.Text) && start > 0 && !strings.HasSuffix(d.Text, "\n") {
		start--
	}
	deleted := words.Count(args.EndLine-args.StartLine+1, "line")
	return planned(s, d.With(textfile.Splice{Start: start, End: end}), fmt.Sprintf("Deleted %s of %s from line %d", deleted, s.rel, args.StartLine))
}
