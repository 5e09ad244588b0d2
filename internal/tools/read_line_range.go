package tools

import (
	"context"
	"fmt"

	"agent/internal/text/textfile"
	"agent/internal/traits"
)

type readLineRangeArgs struct {
	FilePath  string `json:"file_path" jsonschema:"the file to read, relative to the workspace or absolute"`
	StartLine int    `json:"start_line" jsonschema:"the first line, counted from 1"`
	EndLine   int    `json:"end_line" jsonschema:"the last line, included"`
}

func readLineRange() Tool {
	return defineRead(Tool{
		Name: "read_line_range",
		Description: "Reads some lines of a text file with their numbers, as NUMBER|TEXT: what insert_at_line and delete_line_range need. " +
			"The text of a line begins right after the bar.",
		Traits: Traits{
			File:    traits.FileNames,
			Key:     "file_path",
			Density: traits.Density{From: []string{"start_line"}, To: []string{"end_line"}, Headed: true},
			Words:   traits.Say("reading", "read", "read"),
			// read_file does the same with offset and limit, and search numbers lines.
			Unoffered: true,
		},
	}, runReadLineRange)
}

func (a readLineRangeArgs) reads() []string { return []string{a.FilePath} }

func runReadLineRange(ctx context.Context, env *Env, args readLineRangeArgs) Answer {
	if err := checkRange(args.StartLine, args.EndLine); err != nil {
		return failed(err)
	}
	wanted := args.EndLine - args.StartLine + 1
	s, p, err := env.readLines(ctx, args.FilePath, textfile.Range{
		First: args.StartLine, Lines: min(wanted, env.Limits.readLines()), LineBytes: len(fmt.Sprint(args.EndLine)) + 1,
	})
	if err != nil {
		return failed(err)
	}
	if len(p.Lines) == 0 {
		return Answer{Text: fmt.Sprintf("[%s is empty]", s.rel), Shown: s.shown(0, 0, false)}
	}
	heading := "[" + s.extent(p)
	if len(p.Lines) < wanted && p.More {
		heading += fmt.Sprintf("; read on with start_line %d", p.Last()+1)
	}
	return Answer{Text: heading + "]\n" + p.Numbered(), Note: s.foreignNote(p.Plain()), Shown: s.shown(p.First, p.Last(), false)}
}

// checkRange refuses line ranges that hold no line.
func checkRange(start, end int) error {
	if start < 1 || end < start {
		return fmt.Errorf("start_line %d and end_line %d are no range: lines count from 1 and end_line is included", start, end)
	}
	return nil
}
