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
	// rewinds is set when the next Esc opens what one can go back to.
	rewinds bool
}

// hintTime is how long a hint stays, and how quick the second Ctrl+C must be.
const hintTime = 2 * time.Second

func (m *Model) showHint(text string, quits bool) {
	m.hint = hint{text: text, until: m.opts.Now().Add(hintTime), quits: quits}
}

// statusView is the last line: model, context, approval mode, folder and branch, as much
// of it as fits.
func (m *Model) statusView(width int) string {
	if m.hint.text != "" && m.opts.Now().After(m.hint.until) {
		m.hint = hint{}
	}
	if m.hint.text != "" {
		return m.theme.Warn.Text(style.Truncate(m.hint.text, width))
	}
	if m.shellMode() {
		help := shellHelp
		if strings.HasPrefix(m.input.Text, "!!") {
			help = privateHelp
		}
		return m.theme.Warn.Text(style.Truncate(help, width))
	}
	line := m.statusSpans(width)
	branch := ""
	if m.branch != "" {
		branch = " " + style.Reveal(m.branch).Text
	}
	if room := width - line.Width() - 3; room >= 8 {
		if style.Width(branch) > room-8 {
			branch = ""
		}
		line = append(line, style.Span{Text: " · " + m.folder(room-style.Width(branch)) + branch, Style: m.theme.Dim})
	}
	return style.Truncate(line.String(), width)
}

// statusSpans is the status line without the folder. What does not fit is left out
// from the right; a mode that asks less than the standard one is loud.
func (m *Model) statusSpans(width int) style.Spans {
	t, s := m.theme, m.status
	mode := style.Span{Text: style.Reveal(string(s.Mode)).Text, Style: t.Dim}
	switch s.Mode {
	case chat.ModeFullAuto:
		mode = style.Span{Text: " FULL-AUTO ", Style: t.Loud}
	case chat.ModeAutoEdit:
		mode = style.Span{Text: "AUTO-EDIT", Style: t.Warn}
	}
	model := style.Span{Text: cmp.Or(style.Reveal(s.Model).Text, "no model: /model"), Style: t.Dim}
	gauge := style.Span{Text: m.gauge(s, width), Style: t.Dim}
	parts := style.Spans{model, gauge, mode}
	switch room := width - style.Width(mode.Text) - 3; {
	case gauge.Text == "", style.Width(model.Text)+3+style.Width(gauge.Text) > room && style.Width(model.Text) <= room:
		parts = style.Spans{model, mode}
	case style.Width(model.Text) > room:
		parts = style.Spans{mode, model} // what is allowed is seen in the narrowest window
	}
	always := len(parts)
	if s.Unsaved {
		parts = append(parts, style.Span{Text: "not saved", Style: t.Warn})
	}
	if s.Jobs > 0 {
		parts = append(parts, style.Span{Text: words.Count(s.Jobs, "job"), Style: t.Dim})
	}
	if s.Freed > 0 {
		parts = append(parts, style.Span{Text: words.Tokens(s.Freed) + " saved", Style: t.Dim})
	}
	if m.cached > 0 {
		parts = append(parts, style.Span{Text: fmt.Sprintf("cache %d%%", m.cached), Style: t.Dim})
	}
	var line style.Spans
	for i, part := range parts {
		next := part
		if i > 0 {
			if line.Width()+3+style.Width(part.Text) > width && i >= always {
				break
			}
			line = append(line, style.Span{Text: " · ", Style: t.Dim})
		}
		line = append(line, next)
	}
	return line
}

// gaugeCells is how wide the gauge of the context is.
const gaugeCells = 12

// gauge is how full the context is, with the mark at which it is compressed.
func (m *Model) gauge(s chat.Status, width int) string {
	if s.Limit <= 0 {
		return ""
	}
	text := fmt.Sprintf("%s/%s %d%%", words.Tokens(s.Tokens), words.Tokens(s.Limit), chat.Percent(s.Tokens, s.Limit))
	if width < 80 {
		return text
	}
	cells := []rune(strings.Repeat("░", gaugeCells))
	for i := range min(gaugeCells, (s.Tokens*gaugeCells+s.Limit-1)/s.Limit) {
		cells[i] = '█'
	}
	if s.Threshold > 0 && s.Threshold < s.Limit {
		cells[min(gaugeCells-1, s.Threshold*gaugeCells/s.Limit)] = '│'
	}
	return "▕" + string(cells) + "▏ " + text
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
