package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/history"
	"agent/internal/text/textfile"
	"agent/internal/tools/decode"
	"agent/internal/toolspec"
)

type readFileArgs struct {
	FilePath string `json:"file_path" jsonschema:"relative to the workspace or absolute"`
	Offset   int    `json:"offset,omitempty" jsonschema:"the first line, from 1"`
	Limit    int    `json:"limit,omitempty" jsonschema:"lines to read"`
	Column   int    `json:"column,omitempty" jsonschema:"for a line that is too long to read at once: the byte to start at; the first byte is 1"`
	Whole    bool   `json:"whole,omitempty" jsonschema:"the text of a file whose outline was sent"`
}

// readFileSchema holds the parameters that requests declare. The answer names column and whole if
// the model needs them.
type readFileSchema struct {
	FilePath string `json:"file_path" jsonschema:"relative to the workspace or absolute"`
	Offset   int    `json:"offset,omitempty" jsonschema:"the first line, from 1"`
	Limit    int    `json:"limit,omitempty" jsonschema:"lines to read"`
}

func readFile() Tool {
	return defineRead(Tool{
		Name:        "read_file",
		Description: "Reads a text file without line numbers. A partial answer begins with a line in brackets that says how to read on. Large files may come as outlines; whole: true sends all.",
		offers:      decode.ParametersOf[readFileSchema]().JSON,
		Traits: Traits{
			File:      toolspec.FileNames,
			Key:       "file_path",
			Density:   toolspec.Density{From: []string{"offset"}, Count: []string{"limit"}, Headed: true},
			Essential: true,
			Words:     toolspec.SameVerbs("reading", "read", "read"),
		},
	}, runReadFile)
}

// manualPrefix is the prefix of a path that names a page of the program's documentation.
const manualPrefix = "agent-docs:"

func (a readFileArgs) reads() []string {
	if strings.HasPrefix(a.FilePath, manualPrefix) {
		return nil
	}
	return []string{a.FilePath}
}

// readManual returns an answer with a page of the documentation, or with the sections that match
// words.
func readManual(env *Env, words string, offset int) Answer {
	if env.Manual == nil {
		return failedAnswer(errors.New("read_file: the documentation of agent is not available here"))
	}
	text, found := env.Manual(words)
	if !found {
		return failedAnswer(fmt.Errorf("read_file: nothing found for %q. To list all pages, read %s", words, manualPrefix))
	}
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return listed(env.Limits, "", all, offset, len(all), "line", "", func(line string) string { return line })
}

func runReadFile(ctx context.Context, env *Env, args readFileArgs) Answer {
	if args.Offset < 0 || args.Limit < 0 || args.Column < 0 {
		return failedAnswer(fmt.Errorf("read_file: offset, limit and column must be at least 1, not %d, %d and %d", args.Offset, args.Limit, args.Column))
	}
	if words, is := strings.CutPrefix(args.FilePath, manualPrefix); is {
		return readManual(env, words, args.Offset)
	}
	if args.Offset+args.Limit+args.Column == 0 && !args.Whole {
		if answer, ok := env.outline(ctx, args.FilePath); ok {
			return answer
		}
	}
	want := textfile.Range{First: max(args.Offset, 1), Column: args.Column, Lines: env.Limits.readLines()}
	if args.Limit > 0 {
		want.Lines = min(want.Lines, args.Limit)
	}
	s, p, err := env.readLines(ctx, args.FilePath, want)
	if binary := (*BinaryError)(nil); errors.As(err, &binary) && binary.Kind == history.PDF {
		return env.readPDF(ctx, args)
	}
	if err != nil {
		return failedAnswer(err)
	}
	shown := s.shownView(p.First, p.LastLine(), wholeFile(p))
	if p.Column > 1 || p.Rest > 0 {
		shown = s.shownView(0, 0, false) // one line is cut
	}
	note := s.note(p.Plain())
	switch {
	case len(p.Lines) == 0:
		return Answer{Text: fmt.Sprintf("[%s is empty]", s.rel), View: s.shownView(0, 0, false)}
	case wholeFile(p):
		return Answer{Text: p.Plain(), Note: note, View: shown}
	}
	heading := s.extent(p)
	if next := readOn(p, "offset"); next != "" {
		heading += "; read on with " + next
	}
	return Answer{Text: "[" + heading + "]\n" + p.Plain(), Note: note, View: shown}
}

// wholeFile reports whether a page holds the whole file.
func wholeFile(p textfile.Page) bool { return p.First == 1 && p.Column == 1 && p.Rest == 0 && !p.More }

// readOn returns the parameters with which a call reads the text after a page, "" at the end of the
// file. parameter is the tool's name for the first line.
func readOn(p textfile.Page, parameter string) string {
	switch {
	case p.Rest > 0 && p.More:
		return fmt.Sprintf("offset %d and column %d or, to skip the rest of that line, with %s %d", p.LastLine(), p.Rest, parameter, p.LastLine()+1)
	case p.Rest > 0:
		return fmt.Sprintf("offset %d and column %d", p.LastLine(), p.Rest)
	case p.More:
		return fmt.Sprintf("%s %d", parameter, p.LastLine()+1)
	}
	return ""
}

// readLines opens a text file and reads as many of the wanted lines as fit in an answer. It records
// the file as seen.
func (e *Env) readLines(ctx context.Context, path string, want textfile.Range) (*source, textfile.Page, error) {
	s, err := e.open(ctx, path)
	if err != nil {
		return nil, textfile.Page{}, err
	}
	defer s.Close()
	r, err := s.reader()
	if err != nil {
		return nil, textfile.Page{}, fmt.Errorf("can't read %s: %w", s.rel, fsutil.Reason(err))
	}
	want.Bytes = e.Limits.room(headingBytes + len(s.note("")))
	p, err := textfile.ReadPage(ctx, r, want)
	switch {
	case err != nil:
		return nil, textfile.Page{}, fmt.Errorf("can't read %s: %w", s.rel, fsutil.Reason(err))
	case len(p.Lines) == 0 && want.First > 1:
		return nil, textfile.Page{}, fmt.Errorf("line %d is past the end of %s, which has %s", want.First, s.rel, humanize.Count(p.Total, "line"))
	}
	if s.whole != nil {
		e.Seen.Record(s.abs, s.whole)
		p.Total = s.document().LineCount()
	}
	return s, p, nil
}

// extent describes the part of the file that a page holds.
func (s *source) extent(p textfile.Page) string {
	whole := fmt.Sprint(p.Total)
	if p.Total == 0 {
		whole = "a file of " + humanize.Bytes(s.size)
	}
	extent := fmt.Sprintf("lines %d-%d of %s", p.First, p.LastLine(), whole)
	if p.Column > 1 {
		extent += fmt.Sprintf(", from column %d of line %d on", p.Column, p.First)
	}
	return extent
}

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
			File:    toolspec.FileNames,
			Key:     "file_path",
			Density: toolspec.Density{From: []string{"start_line"}, To: []string{"end_line"}, Headed: true},
			Words:   toolspec.SameVerbs("reading", "read", "read"),
			// read_file does the same with offset and limit. Results of search contain line
			// numbers.
			Unoffered: true,
		},
	}, runReadLineRange)
}

func (a readLineRangeArgs) reads() []string { return []string{a.FilePath} }

func runReadLineRange(ctx context.Context, env *Env, args readLineRangeArgs) Answer {
	if err := checkRange(args.StartLine, args.EndLine); err != nil {
		return failedAnswer(err)
	}
	wanted := args.EndLine - args.StartLine + 1
	s, p, err := env.readLines(ctx, args.FilePath, textfile.Range{
		First: args.StartLine, Lines: min(wanted, env.Limits.readLines()), LineBytes: len(fmt.Sprint(args.EndLine)) + 1,
	})
	if err != nil {
		return failedAnswer(err)
	}
	if len(p.Lines) == 0 {
		return Answer{Text: fmt.Sprintf("[%s is empty]", s.rel), View: s.shownView(0, 0, false)}
	}
	heading := "[" + s.extent(p)
	if len(p.Lines) < wanted && p.More {
		heading += fmt.Sprintf("; read on with start_line %d", p.LastLine()+1)
	}
	return Answer{Text: heading + "]\n" + p.Numbered(), Note: s.note(p.Plain()), View: s.shownView(p.First, p.LastLine(), false)}
}

// checkRange returns an error for a line range without lines.
func checkRange(start, end int) error {
	if start < 1 || end < start {
		return fmt.Errorf("start_line %d and end_line %d are not a valid range: start_line must be at least 1, and end_line at least start_line", start, end)
	}
	return nil
}
