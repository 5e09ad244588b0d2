package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// maxProblems is the greatest number of problems of an answer that are kept.
const maxProblems = 500

// Problems returns the errors and warnings in the current content of a file, each with its line. A
// missing file has none. It also returns an error if the answer may be incomplete or outdated. Only
// servers of languages with Diagnoses set can answer.
func (f *Folder) Problems(ctx context.Context, path string) (problems []string, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	notes, err := f.ask(ctx, SymbolPosition{Path: path}, false, func(ctx context.Context, s *server, at map[string]any) error {
		result, err := s.conn.call(ctx, "textDocument/diagnostic", map[string]any{"textDocument": at["textDocument"]})
		if err == nil {
			problems, err = problemsOf(result)
		}
		return err
	})
	if err == nil && len(notes) > 0 {
		err = errors.New(notes[0])
	}
	return problems, err
}

func problemsOf(result json.RawMessage) (problems []string, err error) {
	var report struct {
		Items []struct {
			Range    span   `json:"range"`
			Severity int    `json:"severity"`
			Message  string `json:"message"`
		} `json:"items"`
	}
	if isNull(result) {
		return nil, nil
	}
	if err := json.Unmarshal(result, &report); err != nil {
		return nil, badAnswer(err)
	}
	const isWarning = 2 // hints have a higher severity number
	for _, p := range report.Items {
		if p.Severity <= isWarning && len(problems) < maxProblems {
			problems = append(problems, fmt.Sprintf("%d: %s", p.Range.Start.Line+1, plain(p.Message)))
		}
	}
	return problems, nil
}
