package tui

import (
	"context"
	"strings"
	"testing"

	"agent/internal/atcmd"
	"agent/internal/tui/input"
	"agent/internal/tui/term"

	"github.com/charmbracelet/x/ansi"
)

// slowFiles returns more names after the workspace was listed.
type slowFiles struct {
	listed *bool
	used   *[]string
}

func (f slowFiles) Complete(string) ([]atcmd.Mention, bool) {
	early, late, main := atcmd.Mention{Text: "@early.go"}, atcmd.Mention{Text: "@late.go"}, atcmd.Mention{Text: "@main.go"}
	if *f.listed {
		return []atcmd.Mention{early, late, main}, true
	}
	return []atcmd.Mention{early, main}, false
}

func (f slowFiles) WaitListed(context.Context) { *f.listed = true }
func (f slowFiles) MarkUsed(file string)       { *f.used = append(*f.used, file) }

// Known files are proposed at once, and the others after the workspace was listed. A selection that
// the user made meanwhile stays.
func TestPopupOfFilesGrows(t *testing.T) {
	t.Parallel()
	listed := false
	s := newScreenplayFor(t, 80, 24, func(o *Options) { o.Files = slowFiles{&listed, new([]string)} })
	s.model.key(term.Key{Name: "@", Text: "@"})
	first := s.model.input.Propose()().(input.ProposalsMsg)
	more := s.model.input.ShowProposals(first)
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

// Enter runs the first proposal for a command name, even if it is pressed before the proposals
// arrive. After Esc, Enter uses the typed text.
func TestEnterIsNotFasterThanTheProposals(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ typed, want string }{
		"a beginning":    {"/hel", "/help  shows this"},
		"nothing yet":    {"/", "/compress"},
		"dismissed":      {"/hel", "did you mean"},
		"no such name":   {"/nope", "did you mean"},
		"with arguments": {"/hel x", "did you mean"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScreenplay(t, 80, 24)
			var keys inputMsg
			for _, r := range tt.typed {
				keys = append(keys, term.Key{Name: string(r), Text: string(r)})
			}
			if name == "dismissed" {
				s.update(keys)
				s.press("esc")
				keys = nil
			}
			s.update(append(keys, term.Key{Name: "enter"}))
			if all := s.all(); !strings.Contains(all, tt.want) {
				t.Errorf("%q is not shown:\n%s", tt.want, all)
			}
		})
	}
}

// The proposals after @ show the kind of each file.
func TestPopupShowsKinds(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 20)
	s.typed("@")
	for _, want := range []string{"  @main.go   file\n", "  @src/      folder\n"} {
		if view := ansi.Strip(s.model.view()); !strings.Contains(view, want) {
			t.Errorf("not %q in\n%s", want, view)
		}
	}
}
