package tools

import (
	"context"
	"fmt"

	"agent/internal/disk"
	"agent/internal/tools/textfile"
	"agent/internal/words"
)

type readFileArgs struct {
	FilePath string `json:"file_path" jsonschema:"the file to read, relative to the workspace or absolute"`
	Offset   int    `json:"offset,omitempty" jsonschema:"the first line to read, counted from 1; default 1"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many lines to read; default as many as fit"`
}

func readFile() Tool {
	return defineRead(Tool{
		Name: "read_file",
		Description: "Reads a text file. The answer is the plain text, without line numbers (read_line_range gives those). " +
			"When it is not the whole file, a first line in brackets says which lines it holds and how to read on.",
		Access:       AccessRead,
		KeyParameter: "file_path",
		Essential:    true,
	}, runReadFile)
}

func runReadFile(ctx context.Context, env *Env, args readFileArgs) Answer {
	if args.Offset < 0 || args.Limit < 0 {
		return failed(fmt.Errorf("read_file: offset and limit count lines from 1, not %d and %d", args.Offset, args.Limit))
	}
	first, count := max(args.Offset, 1), env.Limits.readLines()
	if args.Limit > 0 {
		count = min(count, args.Limit)
	}
	s, p, err := env.readLines(ctx, args.FilePath, first, count)
	if err != nil {
		return failed(err)
	}
	switch {
	case len(p.Lines) == 0:
		return Answer{Text: fmt.Sprintf("[%s is empty]", s.rel)}
	case p.First == 1 && !p.More:
		return Answer{Text: p.Plain()}
	}
	heading := "[" + s.extent(p)
	if p.More {
		heading += fmt.Sprintf("; read on with offset %d", p.Last()+1)
	}
	return Answer{Text: heading + "]\n" + p.Plain()}
}

// readLines opens a text file, reads lines of it and records it as seen.
func (e *Env) readLines(ctx context.Context, path string, first, count int) (*source, textfile.Page, error) {
	s, err := e.open(ctx, path)
	if err != nil {
		return nil, textfile.Page{}, err
	}
	defer s.Close()
	r, err := s.reader()
	if err != nil {
		return nil, textfile.Page{}, fmt.Errorf("cannot read %s: %w", s.rel, disk.Reason(err))
	}
	p, err := textfile.ReadPage(ctx, r, first, count, e.Limits.OutputBytes())
	switch {
	case err != nil:
		return nil, textfile.Page{}, fmt.Errorf("cannot read %s: %w", s.rel, disk.Reason(err))
	case len(p.Lines) == 0 && first > 1:
		return nil, textfile.Page{}, fmt.Errorf("line %d is past the end of %s, which has %d lines", first, s.rel, p.Total)
	}
	if s.whole != nil {
		e.Seen.Record(s.abs, s.whole)
		p.Total = textfile.Parse(s.whole).Count()
	}
	return s, p, nil
}

// extent says which part of the file a page is.
func (s *source) extent(p textfile.Page) string {
	whole := fmt.Sprint(p.Total)
	if p.Total == 0 {
		whole = "a file of " + words.Bytes(s.size)
	}
	return fmt.Sprintf("lines %d-%d of %s", p.First, p.Last(), whole)
}
