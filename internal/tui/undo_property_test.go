package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/slash"
	"agent/internal/snapshot"
	"agent/internal/workspace"
)

// storedPast rewinds the files only.
type storedPast struct {
	slash.Rewinder
	store *snapshot.Store
}

func (p storedPast) PlanFiles(ctx context.Context, way snapshot.Operation) (*snapshot.Plan, error) {
	if way == snapshot.Redo {
		return p.store.PlanRedo(ctx)
	}
	return p.store.PlanUndo(ctx)
}

func (p storedPast) ApplyFilePlan(_ context.Context, plan *snapshot.Plan) ([]snapshot.ChangedFile, error) {
	return p.store.Apply(plan)
}

// An answer performs exactly the action of its question, or nothing. Whatever the user types, y
// changes no file that the screen does not show.
func TestAnswerPerformsTheShownAction(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		root := t.TempDir()
		w, err := workspace.New(root, "")
		if err != nil {
			t.Fatal(err)
		}
		store, err := snapshot.Open(snapshot.Options{Folder: filepath.Join(t.TempDir(), "kept"), Workspace: w, Secret: func(_, _ string) bool { return false }, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		turns := 0
		turn := func() {
			turns++
			store.BeginTurn(fmt.Sprint("turn ", turns))
			path := filepath.Join(root, fmt.Sprint("file", turns))
			store.BeginEdit(snapshot.FileEdit{Abs: path, After: []byte("new\n")})
			if err := os.WriteFile(path, []byte("new\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		held := func() (names []string) {
			entries, err := os.ReadDir(root)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				names = append(names, e.Name())
			}
			return names
		}
		s := newScreenplayFor(t, 80, 30, func(o *Options) {
			o.Commands = slash.New(t.Context(), slash.Deps{Past: storedPast{store: store}, Now: time.Now, Setup: slash.Setup{Callable: func() []command.Callable { return nil }}})
		})
		question := func() *command.Question {
			if !s.model.questions.IsOpen() {
				return nil
			}
			if _, of := s.model.questions.Position(); of != 1 {
				r.Fatalf("%d questions are open:\n%s", of, s.all())
			}
			ask := s.model.questions.First().Own
			if !ask.Current() {
				r.Fatalf("the question is outdated:\n%s", s.all())
			}
			return ask
		}
		for range 3 {
			turn()
		}
		for _, do := range rapid.SliceOfN(rapid.SampledFrom([]string{"/undo", "/undo", "/undo yes", "/redo", "y", "y", "n", "turn"}), 1, 12).Draw(r, "typed") {
			before, asked := held(), question()
			switch {
			case do == "turn":
				turn()
				s.events(chat.TurnStarted{}, chat.TurnEnded{})
				if before = held(); question() != nil {
					r.Fatalf("the question stays after a turn that changed files:\n%s", s.all())
				}
			case len(do) == 1 && asked == nil: // it would be a part of a message
			case len(do) == 1:
				if s.model.questions.IsDrafting() {
					s.press("esc")
				}
				s.wait(time.Second)
				s.typed(do)
				s.wait(time.Second)
			default:
				s.typed(do)
				s.press("enter")
			}
			for _, name := range slices.Concat(before, held()) {
				if slices.Contains(before, name) == slices.Contains(held(), name) {
					continue
				}
				shown := asked != nil && slices.ContainsFunc(asked.Parts, func(p command.QuestionPart) bool { return strings.HasSuffix(p.Title, " "+name) })
				if do == "y" && !shown || do == "/undo yes" && asked != nil && asked.YesCommand == do && !shown || do != "y" && do != "/undo yes" {
					r.Fatalf("%s changed %s, which was not shown:\n%s", do, name, s.all())
				}
			}
			if do == "y" && asked != nil && slices.Equal(before, held()) {
				r.Fatalf("y did nothing:\n%s", s.all())
			}
			question()
		}
	})
}
