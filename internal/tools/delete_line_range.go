package tools

import (
	"fmt"
	"strings"
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
	d := parseDocument(s.whole)
	if count := d.count(); args.EndLine > count {
		return change{}, fmt.Errorf("lines %d-%d are not in %s, which has %s", args.StartLine, args.EndLine, s.rel, countLines(count))
	}
	start, end := d.span(args.StartLine, args.EndLine)
	// A file without final newline keeps having none when its last line goes.
	if end == len(d.text) && start > 0 && !strings.HasSuffix(d.text, "\n") {
		start--
	}
	deleted := countLines(args.EndLine - args.StartLine + 1)
	return planned(s, d.with(splice{start: start, end: end}), fmt.Sprintf("Deleted %s of %s from line %d", deleted, s.rel, args.StartLine))
}
