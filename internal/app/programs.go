package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"agent/internal/base/rawjson"
	"agent/internal/chat"
	"agent/internal/cmdline"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/shell"
)

// Limits for the user's status line and notification programs: their running time, and the bytes that are
// read of their output.
const (
	statusLineTime = time.Second
	calledTime     = 10 * time.Second
	mostPrinted    = 4 << 10
)

// Programs runs the user's own programs beside the screen: the status line command and the notification
// command.
type Programs struct {
	at  *place
	rec *record
	// confined returns the sandbox of commands. The user's programs must not be in its writable folders.
	confined func() sandbox.Confinement
}

// StatusLine returns a function that runs the user's status line command. It returns nil if none is set.
func (p *Programs) StatusLine() func(context.Context, chat.Status, chat.Stats) (string, error) {
	line := settings.StatusLineCommand.Value(p.at.settings)
	if line == "" {
		return nil
	}
	return func(ctx context.Context, status chat.Status, stats chat.Stats) (string, error) {
		root, used := p.at.workspace.Root(), chat.Percent(status.Tokens, max(1, status.Limit))
		input, err := rawjson.Marshal(map[string]any{
			"hook_event_name": "Status", "session_id": p.rec.id, "transcript_path": p.rec.path(), "cwd": root, "version": p.at.process.Version,
			"model":        map[string]any{"id": status.Model, "display_name": status.Model},
			"workspace":    map[string]any{"current_dir": root, "project_dir": root},
			"output_style": map[string]any{"name": cmp.Or(settings.OutputStyle.Value(p.at.settings), "default")},
			"cost":         map[string]any{"total_cost_usd": stats.Cost},
			"context_window": map[string]any{
				"context_window_size": status.Limit, "used_percentage": used, "remaining_percentage": max(0, 100-used),
				"total_input_tokens": stats.PromptTokens, "total_output_tokens": stats.CompletionTokens,
			},
		})
		if err != nil {
			return "", err
		}
		return p.runOwn(ctx, settings.StatusLineCommand.Key(), line, input, statusLineTime)
	}
}

// NotifyUser runs the user's notify-command, if one is set. kind is the reason in one word; news describes
// the event in one line.
func (p *Programs) NotifyUser(ctx context.Context, kind, news string) error {
	line := settings.NotifyCommand.Value(p.at.settings)
	if line == "" {
		return nil
	}
	what, err := rawjson.Marshal(map[string]string{"type": kind, "message": news, "session_id": p.rec.id, "cwd": p.at.workspace.Root()})
	if err != nil {
		return err
	}
	_, err = p.runOwn(ctx, settings.NotifyCommand.Key(), line+" "+cmdline.Quote(string(what)), nil, calledTime)
	return err
}

// runOwn runs the command line that the user has set with the setting key, concurrently with the session.
// It returns the beginning of its output.
func (p *Programs) runOwn(ctx context.Context, key, line string, input []byte, limit time.Duration) (string, error) {
	printed, _, err := p.at.jobs.RunProgram(ctx, key, shell.Command{
		Line: line, Dir: p.at.workspace.Root(), Input: input,
		Environ:    []string{"AGENT=agent", "CLAUDE_PROJECT_DIR=" + p.at.workspace.Root()},
		Distrusted: slices.Concat(p.at.workspace.Folders(), p.confined().Policy.Writable()),
	}, limit, mostPrinted)
	if errors.Is(err, shell.ErrClosed) || ctx.Err() != nil { // the session is ending
		return "", nil
	}
	return printed, err
}
