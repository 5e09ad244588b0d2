package tui

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/tui/style"
	"agent/internal/words"
)

// hint takes the place of the status line for a moment.
type hint struct {
	text  string
	until time.Time
	// quits is set when the next Ctrl+C quits.
	quits bool
}

// hintTime is how long a hint stays, and how quick the second Ctrl+C must be.
const hintTime = 2 * time.Second

func (m *Model) showHint(text string, quits bool) {
	m.hint = hint{text: text, until: m.opts.Now().Add(hintTime), quits: quits}
}

// statusView is the last line: model, context, approval mode, folder, as much of it
// as fits.
func (m *Model) statusView(width int) string {
	if m.hint.text != "" && m.opts.Now().After(m.hint.until) {
		m.hint = hint{}
	}
	if m.hint.text != "" {
		return m.theme.Warn.Text(style.Truncate(m.hint.text, width))
	}
	s := m.status
	parts := []string{cmp.Or(style.Clean(s.Model), "no model: /model"), contextPart(s.Tokens, s.Limit), string(s.Mode)}
	if s.Unsaved {
		parts = append(parts, "not saved")
	}
	if s.Freed > 0 {
		parts = append(parts, words.Tokens(s.Freed)+" freed")
	}
	line := joined(parts)
	if room := width - style.Width(line) - 3; room >= 8 {
		line = joined([]string{line, m.folder(room)})
	}
	return m.theme.Dim.Text(style.Truncate(line, width))
}

func joined(parts []string) string {
	var full []string
	for _, part := range parts {
		if part != "" {
			full = append(full, part)
		}
	}
	return strings.Join(full, " · ")
}

func contextPart(used, limit int) string {
	if limit <= 0 {
		return ""
	}
	return fmt.Sprintf("%s/%s %d%%", words.Tokens(used), words.Tokens(limit), chat.Percent(used, limit))
}

// folder is the workspace, with ~ for the home folder, cut from the left.
func (m *Model) folder(room int) string {
	path := m.opts.Workspace
	if home := m.opts.env("HOME"); home != "" {
		if rest, ok := strings.CutPrefix(path, home); ok && (rest == "" || rest[0] == filepath.Separator) {
			path = "~" + rest
		}
	}
	path = style.Clean(path)
	for style.Width(path) > room {
		_, rest, ok := strings.Cut(strings.TrimPrefix(path, "…/"), "/")
		if !ok {
			return style.Truncate(path, room)
		}
		path = "…/" + rest
	}
	return path
}
