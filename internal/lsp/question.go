package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"agent/internal/base/humanize"
)

// The kinds of questions about a name.
const (
	// Definition asks where the name is declared, and References where it is used or declared.
	Definition = "definition"
	References = "references"
	// Callers asks for the calls of a function.
	Callers = "callers"
	// Hover asks for the type and the documentation.
	Hover = "hover"
	// Rename asks for the edits that change the name to NewName.
	Rename = "rename"
)

// A SymbolPosition is the name that a question is about. It consists of the file, and the offset of the name
// in the content.
type SymbolPosition struct {
	Path    string
	Content []byte
	At      int
	// NewName is the name after a rename.
	NewName string
	// Mentions are files that the server opens before the question. Only the first 63 are used.
	Mentions []string
}

// An Answer is the answer of a server.
type Answer struct {
	// Places are at most 5000 places. A call has the name of the calling function.
	Places []Location
	// Total counts all places of the answer.
	Total int
	// Edits are the edits of a rename, by file.
	Edits map[string][]Edit
	// Text is the description of a name in the server's words.
	Text string
	// Notes explain why the answer may be incomplete or outdated.
	Notes []string
}

// Add adds places. All places are then sorted by file and position, each once.
func (a *Answer) Add(places ...Location) {
	places = append(a.Places, places...)
	slices.SortFunc(places, func(x, y Location) int {
		return cmp.Or(strings.Compare(x.Path, y.Path), cmp.Compare(x.at.Start.Line, y.at.Start.Line), cmp.Compare(x.at.Start.Character, y.at.Start.Character))
	})
	places = slices.Compact(places)
	a.Total, a.Places = len(places), places[:min(len(places), maxPlaces)]
}

// ErrNoServer is the error for a file in a language without a server.
var ErrNoServer = errors.New("no language server supports this kind of file")

// Ask asks a question about a name. For the uses of a name, it asks twice if a second answer can
// contain uses that the first one lacks.
func (f *Folder) Ask(ctx context.Context, op string, t SymbolPosition) (a Answer, err error) {
	notes, err := f.ask(ctx, t, func(ctx context.Context, s *server, at map[string]any) error {
		if err := a.ask(ctx, s, op, at); err != nil || !s.lang.grows || op == Definition || op == Hover {
			return err
		}
		return a.ask(ctx, s, op, at)
	})
	a.Add()
	a.Notes = notes
	return a, err
}

// ask sets the answer to the request parameters at.
func (a *Answer) ask(ctx context.Context, s *server, op string, at map[string]any) (err error) {
	switch op {
	case Definition, References:
		var found locations
		at["context"] = map[string]any{"includeDeclaration": true}
		err = s.call(ctx, "textDocument/"+op, at, &found)
		a.Places = nil
		for _, l := range found {
			if l.TargetURI != "" {
				l.URI, l.Range = l.TargetURI, l.TargetSelectionRange
			}
			if path := pathOf(l.URI); path != "" {
				a.Places = append(a.Places, Location{Path: path, at: l.Range, bytes: s.inBytes})
			}
		}
	case Callers:
		return a.askCallers(ctx, s, at)
	case Hover:
		var hover struct {
			Contents any `json:"contents"`
		}
		err = s.call(ctx, "textDocument/hover", at, &hover)
		a.Text = strings.TrimSpace(markup(hover.Contents))
	case Rename:
		var found workspaceEdit
		if err = s.call(ctx, "textDocument/rename", at, &found); err == nil {
			a.Edits, err = found.edits(s.inBytes)
		}
	}
	return err
}

func (a *Answer) askCallers(ctx context.Context, s *server, at map[string]any) error {
	var functions []json.RawMessage // they are sent back unchanged
	if err := s.call(ctx, "textDocument/prepareCallHierarchy", at, &functions); err != nil {
		return err
	}
	a.Places = nil
	for _, function := range functions {
		var calls []incomingCall
		if err := s.call(ctx, "callHierarchy/incomingCalls", map[string]any{"item": function}, &calls); err != nil {
			return err
		}
		for _, call := range calls {
			for _, at := range call.FromRanges {
				if p := pathOf(call.From.URI); p != "" {
					a.Places = append(a.Places, Location{Path: p, Within: call.From.Name, at: at, bytes: s.inBytes})
				}
			}
		}
	}
	return nil
}

// maxProblems is the greatest number of problems of an answer that are kept.
const maxProblems = 500

// Problems returns the errors and warnings in the current content of a file, each with its line. A
// missing file has none. It also returns an error if the answer may be incomplete or outdated. Only
// servers of languages with Diagnoses set can answer.
func (f *Folder) Problems(ctx context.Context, path string) (problems []string, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var found struct {
		Items []struct {
			Range    span   `json:"range"`
			Severity int    `json:"severity"`
			Message  string `json:"message"`
		} `json:"items"`
	}
	notes, err := f.ask(ctx, SymbolPosition{Path: path}, func(ctx context.Context, s *server, at map[string]any) error {
		found.Items = nil
		return s.call(ctx, "textDocument/diagnostic", at, &found)
	})
	if err == nil && len(notes) > 0 {
		err = errors.New(notes[0])
	}
	const isWarning = 2 // hints have a higher severity number
	for _, p := range found.Items {
		if p.Severity <= isWarning && len(problems) < maxProblems {
			problems = append(problems, fmt.Sprintf("%d: %s", p.Range.Start.Line+1, humanize.Line(p.Message, complaintLength)))
		}
	}
	return problems, err
}

// ask calls question with the server of a file, and with the request parameters that identify the
// name.
func (f *Folder) ask(ctx context.Context, t SymbolPosition, question func(ctx context.Context, s *server, at map[string]any) error) (notes []string, err error) {
	lang, known := LanguageOf(t.Path)
	if !known {
		return nil, ErrNoServer
	}
	e, err := f.entry(lang)
	if err != nil {
		return nil, err
	}
	select {
	case <-e.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if e.err != nil {
		return nil, e.err
	}
	list := func(ctx context.Context) ([]string, error) { return f.Files(ctx, lang.Concerns) }
	notes, err = e.server.ask(ctx, list, t, func(ctx context.Context) error {
		return question(ctx, e.server, map[string]any{
			"textDocument": map[string]any{"uri": uriOf(t.Path)}, "position": positionOf(t.Content, t.At, e.server.inBytes), "newName": t.NewName,
		})
	})
	if errors.Is(err, errEnded) {
		<-e.done
	}
	if err != nil {
		err = e.server.explain(err)
	}
	f.pool.mu.Lock()
	defer f.pool.mu.Unlock()
	f.pool.spare(nil)
	return notes, err
}
