package hookgates

import (
	"context"
	"strings"

	"agent/internal/extend/hook"
)

// Limits of the report to the model about files that hooks changed: the bytes of differences, and the
// number of names.
const (
	maxDiffBytes = 16 << 10
	mostNamed    = 50
)

// trackChanges records the state of the workspace before hooks run. The returned function reports their
// changes, which count as changes of the turn. The model receives the report, so that it has the new
// content of files that it has read.
func (h *Hooks) trackChanges(ctx context.Context) func() hook.WorkspaceChanges {
	settle := h.host.Env.Snapshots.BeginCommand(ctx)
	return func() hook.WorkspaceChanges {
		changed := hook.WorkspaceChanges{Files: map[string][]byte{}}
		var diffs, names []string
		room := maxDiffBytes
		change := settle()
		h.host.recordFiles("hooks", change)
		for _, e := range h.host.Env.Snapshots.Effects(context.WithoutCancel(ctx), change) {
			changed.Files[e.Abs] = nil
			switch {
			case e.Does == "change" && e.Diff != "" && len(e.Diff) <= room:
				room -= len(e.Diff)
				diffs = append(diffs, strings.ToValidUTF8(e.Diff, "\uFFFD"))
				changed.Files[e.Abs] = e.Content
				if h.host.Env.Seen.IsKnown(e.Abs) && e.Content != nil {
					h.host.Env.Seen.Record(e.Abs, e.Content)
				}
			case e.Does == "delete":
				h.host.Env.Seen.Forget(e.Abs)
				fallthrough
			default:
				names = append(names, map[string]string{"create": "created ", "delete": "deleted ", "change": "changed ", "mode": "changed the mode of "}[e.Does]+e.Path)
			}
		}
		if len(names) > mostNamed {
			names = append(names[:mostNamed], "and more")
		}
		if len(diffs)+len(names) > 0 {
			changed.Text = "[Hooks changed files of the workspace"
			if len(names) > 0 {
				changed.Text += ": " + strings.Join(names, ", ")
			}
			changed.Text += "]"
			if len(diffs) > 0 {
				changed.Text += "\n" + strings.TrimSuffix(strings.Join(diffs, ""), "\n")
			}
		}
		return changed
	}
}
