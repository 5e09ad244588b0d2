package tui

import (
	"context"
	"strings"
	"testing"

	"agent/internal/tui/term"
)

// slowFiles knows more once the workspace was listed.
type slowFiles struct {
	listed *bool
	used   *[]string
}

func (f slowFiles) Complete(string) ([]string, bool) {
	if *f.listed {
		return []string{"@early.go", "@late.go", "@main.go"}, true
	}
	return []string{"@early.go", "@main.go"}, false
}

func (f slowFiles) Listed(context.Context) { *f.listed = true }
func (f slowFiles) Used(file string)       { *f.used = append(*f.used, file) }

// What is known is proposed at once, the rest when the workspace was listed; what was
// picked meanwhile stays picked.
func TestPopupOfFilesGrows(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	listed := false
	s.model.opts.Files = slowFiles{&listed, new([]string)}
	s.model.key(term.Key{Name: "@", Text: "@"})
	first := s.model.proposeLater()().(completionMsg)
	more := s.model.complete(first)
	s.model.layout()
	if view := s.model.view(); strings.Contains(view, "late.go") || !strings.Contains(view, "@main.go") || more == nil {
		t.Fatalf("before the workspace was listed:\n%s", view)
	}
	s.press("down", "down")
	s.update(more())
	if view := s.model.view(); !strings.Contains(view, "@late.go") || !strings.Contains(view, "▸ @main.go") {
		t.Errorf("after the workspace was listed:\n%s", view)
	}
}
