package rewind

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/snapshot"
	"agent/internal/tools"
)

// mostNamed limits how many files a report lists although the model never saw them. A command can
// change thousands.
const mostNamed = 50

// ApplyPlan applies a plan to the files, completely or not at all. It then updates the conversation: the new
// content counts as seen by the model, and the undone writes no longer count (D-48). A message informs
// the model about the change.
func (p *Rewinder) ApplyPlan(plan *snapshot.Plan) ([]snapshot.ChangedFile, error) {
	changed, err := p.apply(plan, string(plan.Kind))
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool)
	for _, file := range changed {
		known[file.Abs] = p.Env.Seen.IsKnown(file.Abs)
		switch {
		case file.Content == nil:
			p.Env.Seen.Forget(file.Abs)
		case p.Env.Seen.IsKnown(file.Abs):
			p.Env.Seen.Record(file.Abs, file.Content)
		}
	}
	err = p.markUndone()
	if err != nil || len(changed) == 0 {
		return changed, err
	}
	return changed, p.Add(history.New(history.Human, p.report(plan, changed, known)...))
}

// apply applies a plan and records which files it changed. by names the command.
func (p *Rewinder) apply(plan *snapshot.Plan, by string) ([]snapshot.ChangedFile, error) {
	changed, err := p.Env.Snapshots.Apply(plan)
	if err != nil || p.Session == nil || len(changed) == 0 {
		return changed, err
	}
	act := session.Action{By: by}
	for _, file := range changed {
		act.Wrote = append(act.Wrote, tools.NewFileChange(file.Path, file.Before, file.After))
	}
	return changed, p.Session.RecordAction(act)
}

// markUndone marks the writes in the history whose changes were undone. It removes the mark from writes
// that count again (D-48).
func (p *Rewinder) markUndone() error {
	return window.MarkUndone(p.History, func(change string) bool { return p.Env.Snapshots.IsUndone(snapshot.Mark(change)) })
}

// report returns the message for the model about the files that an undo or a redo changed. If the model
// once saw a file and no longer sees its present content, report includes the file if there is room
// (D-48). known holds the files whose earlier content the model knew.
func (p *Rewinder) report(plan *snapshot.Plan, changed []snapshot.ChangedFile, known map[string]bool) []history.Block {
	title := map[snapshot.Operation]string{
		snapshot.Undo: "I undid the file changes of your latest turn that changed files. These files have their earlier content again:",
		snapshot.Redo: "I redid the file changes that I had undone. These files changed:",
	}[plan.Kind]
	did := map[string]string{"delete": "deleted", "create": "restored", "change": "changed back", "mode": "mode changed back"}
	var list strings.Builder
	blocks := []history.Block{nil}
	room := p.Window.Measure.OutputLimit()
	named, more := 0, 0
	for _, file := range changed {
		saw := p.sawBefore(plan, file)
		if !saw && !known[file.Abs] {
			if named == mostNamed {
				more++
				continue
			}
			named++
		}
		fmt.Fprintf(&list, "%s: %s", file.Path, did[file.Does])
		if saw {
			shown := history.NewInclusion(file.Path, string(file.Content))
			if tokens := p.Window.Measure.ToProviderTokens(p.History.CountBlocks([]history.Block{shown})); isPlain(file.Content) && tokens <= room {
				room -= tokens
				blocks = append(blocks, shown)
				p.Env.Seen.Record(file.Abs, file.Content)
				list.WriteString(", shown below")
			} else {
				list.WriteString("; read the file again to see it")
			}
		}
		list.WriteByte('\n')
	}
	if more > 0 {
		fmt.Fprintf(&list, "and %s more\n", humanize.Count(more, "file"))
	}
	blocks[0] = history.NewData(history.SourceUndo, title, list.String())
	return blocks
}

// isPlain reports whether the model could write back content unchanged. A carriage return or a null
// byte would be lost.
func isPlain(content []byte) bool { return !bytes.ContainsAny(content, "\r\x00") }

// sawBefore reports whether the model once saw the content of a file and no longer sees its present
// content. Either the content was pruned after the first write that is now undone, or an earlier report
// shows an older state of the file.
func (p *Rewinder) sawBefore(plan *snapshot.Plan, file snapshot.ChangedFile) bool {
	if file.Content == nil || file.Does == "mode" {
		return false
	}
	for _, prune := range p.Window.Ledger.Lines() {
		if plan.Kind == snapshot.Undo && !prune.At.Before(plan.Since) && p.isAbout(prune, file.Abs) {
			return true
		}
	}
	for _, entry := range p.History.RawHistory() {
		if reportsFile(entry, file.Path) {
			return true
		}
	}
	return false
}

// isAbout reports whether the pruned content showed the file at abs.
func (p *Rewinder) isAbout(prune window.Prune, abs string) bool {
	for _, path := range prune.Paths {
		if at, err := p.Env.Workspace.Resolve(path); err == nil && at == abs {
			return true
		}
	}
	return false
}

// reportsFile reports whether an entry is a report of an undo or redo that contains a file.
func reportsFile(entry *history.Content, path string) bool {
	return entry.HasSource(history.SourceUndo) && slices.ContainsFunc(entry.Blocks, func(block history.Block) bool {
		text, ok := block.(*history.Text)
		return ok && text.IncludedFile == path
	})
}
