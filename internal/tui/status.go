package tui

import (
	"cmp"
	"fmt"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/gate"
	"agent/internal/tui/style"
)

// statusLine is the last line: model, context, approval mode, folder and branch.
type statusLine struct {
	surface *surface
	// cached is the share of the latest request that was in the provider's cache, in percent.
	cached int
	branch string
}

const hintRows = 3

// view returns the status line, cut to width. A hint replaces the line and has up to hintRows rows. So does
// help, which describes the meaning of the input.
func (l *statusLine) view(width int, help string) []string {
	if hint := cmp.Or(l.surface.hint.text, help); hint != "" {
		rows := style.WrapSpans(style.Spans{{Text: hint, Style: l.surface.theme.Warn}}, width)
		return rows[:min(len(rows), hintRows)]
	}
	return []string{l.figures(width)}
}

// figures returns the line itself, with model and context on the left, and folder and branch on the right.
func (l *statusLine) figures(width int) string {
	line := l.spans(width)
	branch := ""
	if l.branch != "" {
		branch = " " + style.Reveal(l.branch).Text
	}
	if room := width - line.Width() - 3; room >= 8 {
		if style.Width(branch) > room-8 {
			branch = ""
		}
		place := l.folder(room-style.Width(branch)) + branch
		line = append(line, style.Span{Text: strings.Repeat(" ", width-line.Width()-style.Width(place))}, style.Span{Text: place, Style: l.surface.theme.Dim})
	}
	return style.Truncate(line.String(), width)
}

// spans returns the status line without the folder. Parts that do not fit are omitted from the right. A
// mode that requires fewer approvals than the default is highlighted.
func (l *statusLine) spans(width int) style.Spans {
	t, s := l.surface.theme, l.surface.status
	mode := style.Span{Text: style.Reveal(string(s.Mode)).Text, Style: t.Dim}
	switch s.Mode {
	case gate.ModeFullAuto:
		mode = style.Span{Text: " FULL-AUTO ", Style: t.Loud}
	case gate.ModeAutoEdit:
		mode = style.Span{Text: "AUTO-EDIT", Style: t.Warn}
	}
	model := style.Span{Text: cmp.Or(style.Reveal(s.Model).Text, "no model: /model"), Style: t.Plain}
	if s.Effort != "" && s.Model != "" {
		model.Text += " " + style.Reveal(s.Effort).Text
	}
	gauge := style.Span{Text: l.gauge(s, width), Style: t.Plain}
	parts := style.Spans{model, gauge, mode}
	switch room := width - style.Width(mode.Text) - 3; {
	case gauge.Text == "", style.Width(model.Text)+3+style.Width(gauge.Text) > room && style.Width(model.Text) <= room:
		parts = style.Spans{model, mode}
	case style.Width(model.Text) > room:
		parts = style.Spans{mode, model} // the mode fits even in the narrowest window
	}
	always := len(parts)
	also := func(is bool, text string, look style.Style) {
		if is {
			parts = append(parts, style.Span{Text: text, Style: look})
		}
	}
	also(s.Unsaved, "not saved", t.Warn)
	also(s.Unconfined, "no sandbox", t.Warn)
	also(s.Agents > 0, humanize.Count(s.Agents, "agent"), t.Dim)
	also(s.Jobs > 0, humanize.Count(s.Jobs, "job"), t.Dim)
	also(l.cached > 0, fmt.Sprintf("cache %d%%", l.cached), t.Dim)
	var line style.Spans
	for i, part := range parts {
		if part.Text == "" {
			continue
		}
		if len(line) > 0 {
			if line.Width()+3+style.Width(part.Text) > width && i >= always {
				break
			}
			line = append(line, style.Span{Text: " · ", Style: t.Dim})
		}
		line = append(line, part)
	}
	return line
}

// gaugeCells is the width of the context gauge, in cells.
const gaugeCells = 12

// gauge shows how full the context is, and marks the compression threshold.
func (l *statusLine) gauge(s chat.Status, width int) string {
	if s.Limit <= 0 {
		return ""
	}
	text := fmt.Sprintf("%s/%s %d%%", humanize.Tokens(s.Tokens), humanize.Tokens(s.Limit), chat.Percent(s.Tokens, s.Limit))
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

// folder returns the path of the workspace, with ~ for the home folder, cut from the left.
func (l *statusLine) folder(room int) string {
	path := style.Clean(fsutil.Tilde(l.surface.workspace, cmp.Or(l.surface.environ.get("HOME"), l.surface.environ.get("USERPROFILE"))))
	for style.Width(path) > room {
		_, rest, ok := strings.Cut(strings.TrimPrefix(path, "…/"), "/")
		if !ok {
			return style.Truncate(path, room)
		}
		path = "…/" + rest
	}
	return path
}
