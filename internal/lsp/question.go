package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	// Problems asks for the problems of the file. Only servers of languages with Diagnoses set can
	// answer.
	Problems = "problems"
)

// A SymbolPosition is the name that a question is about. It consists of the file, and the offset of
// the name in the content.
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
	// Edits are the edits of a rename.
	Edits []Edit
	// Text is the description of a name in the server's words.
	Text string
	// Problems are at most 500 errors and warnings, each with its line.
	Problems []string
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
	lang, known := LanguageOf(t.Path)
	if !known {
		return a, ErrNoServer
	}
	s, err := f.server(lang)
	if err != nil {
		return a, err
	}
	select {
	case <-s.ready:
	case <-ctx.Done():
		return a, ctx.Err()
	}
	if s.err != nil {
		return a, s.err
	}
	notes, err := s.ask(ctx, f, t, func(ctx context.Context) error {
		err := a.ask(ctx, s, op, t)
		if err == nil && lang.grows && op != Definition && op != Hover {
			err = a.ask(ctx, s, op, t)
		}
		return err
	})
	if errors.Is(err, errEnded) {
		<-s.done
	}
	if err != nil {
		err = s.explain(err)
	}
	f.pool.mu.Lock()
	defer f.pool.mu.Unlock()
	f.pool.spare(nil)
	a.Add()
	a.Notes = notes
	return a, err
}

// ask sets the answer to the answer of a server.
func (a *Answer) ask(ctx context.Context, s *server, op string, t SymbolPosition) (err error) {
	*a = Answer{}
	at := map[string]any{
		"textDocument": map[string]any{"uri": uriOf(t.Path)}, "position": positionOf(t.Content, t.At, s.inBytes), "newName": t.NewName,
		"context": map[string]any{"includeDeclaration": true},
	}
	switch op {
	case Definition, References:
		var found locations
		err = s.call(ctx, "textDocument/"+op, at, &found)
		for _, l := range found {
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
	case Problems:
		var found struct {
			Items []struct {
				Range    span   `json:"range"`
				Severity int    `json:"severity"`
				Message  string `json:"message"`
			} `json:"items"`
		}
		err = s.call(ctx, "textDocument/diagnostic", at, &found)
		const isWarning, maxProblems = 2, 500 // hints have a higher severity number
		for _, p := range found.Items {
			if p.Severity <= isWarning && len(a.Problems) < maxProblems {
				a.Problems = append(a.Problems, fmt.Sprintf("%d: %s", p.Range.Start.Line+1, humanize.Line(p.Message, complaintLength)))
			}
		}
	}
	return err
}

func (a *Answer) askCallers(ctx context.Context, s *server, at map[string]any) error {
	var functions []json.RawMessage // they are sent back unchanged
	if err := s.call(ctx, "textDocument/prepareCallHierarchy", at, &functions); err != nil {
		return err
	}
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
