package tui

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/history"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
)

// endTurn prints a line with the result of the turn, and a line with the savings of pruning.
func (a *activity) endTurn(interrupted bool) {
	u, workTime := a.turn, a.turn.workTime(a.surface.now())
	if u.requests == 0 && u.files == 0 && !(interrupted && workTime >= time.Second) {
		return
	}
	cost, session := a.surface.stats.CostSince(u.before), ""
	if total := humanize.Dollars(a.surface.stats.SessionCost()); cost != "" && total != cost {
		session = "session " + total
	}
	strip := u.strip(workTime, cost, session)
	layouts := []transcript.Layout{strip}
	if !a.surface.settings().QuietDensity {
		layouts = append(layouts, a.savingLines()...)
	}
	a.surface.print(transcript.KindText, func(t *style.Theme, width int) (rows []string) {
		for _, layout := range layouts {
			rows = append(rows, layout(t, width)...)
		}
		return rows
	})
}

// savingLines lays out the tokens that pruning removed and saved in the turn. If pruning has cost the
// session more than it saved, it adds a warning, once. The loss of a single turn is no reason for a
// warning, because a pruning pass costs something immediately and saves later.
func (a *activity) savingLines() (lines []transcript.Layout) {
	session := a.surface.stats.Saving
	if said := a.turn.freed.String(session.Minus(a.turn.before.Saving), session); said != "" {
		lines = append(lines, noteRows(func(t *style.Theme) style.Style { return t.OK }, "≈", said))
	}
	if session.Sign() < 0 && !a.toldLoss {
		a.toldLoss = true
		lines = append(lines, noteRows(warn, "!", "pruning cost "+session.Amount()+" more than it saved in this session · /density"))
	}
	return lines
}

// strip lays out the result of a turn: the time, the changes, the tests, and the costs of the turn and the
// session. It has a check mark if files were changed or tests ran.
func (u *turn) strip(took time.Duration, cost, session string) transcript.Layout {
	return func(t *style.Theme, width int) []string {
		sign := t.Sign(t.Dim, "·")
		spans := style.Spans{{Text: humanize.Elapsed(took), Style: t.Dim}}
		add := func(text string, look style.Style) {
			spans = append(spans, style.Span{Text: t.SpellSigns(" · "), Style: t.Dim}, style.Span{Text: t.SpellSigns(text), Style: look})
		}
		if u.files > 0 || u.tests != nil {
			sign = t.Sign(t.OK, "✓")
		}
		if u.files > 0 {
			add(fmt.Sprintf("%s +%d −%d", humanize.Count(u.files, "file"), u.added, u.removed), t.Strong)
		}
		if u.tests != nil {
			look := t.OK
			if u.tests.Failed > 0 {
				sign, look = t.Sign(t.Bad, "✗"), t.Bad
			}
			add(u.tests.String(), look)
		}
		if cost != "" {
			add(cost, t.Plain)
		}
		if session != "" {
			add(session, t.Dim)
		}
		if u.files > 0 {
			add("/undo", t.Dim)
		}
		margin := strings.Repeat(" ", style.Width(sign))
		return style.Indent(style.WrapSpans(spans, max(10, t.ProseWidth(width)-len(margin))), sign, margin)
	}
}

// freed sums the content that pruning removed during a turn.
type freed struct {
	tokens int
	of     []freedOf
}

// freedOf sums the removed parts of one file, or the removed results that belong to no file.
type freedOf struct {
	name          string
	count, tokens int
}

func (f *freed) add(prunes []history.Prune) {
	for _, p := range prunes {
		name := ""
		if len(p.Paths) > 0 {
			name = filepath.Base(p.Paths[0])
		}
		at := slices.IndexFunc(f.of, func(o freedOf) bool { return o.name == name })
		if at < 0 {
			at, f.of = len(f.of), append(f.of, freedOf{name: name})
		}
		f.of[at].count++
		f.of[at].tokens += p.Tokens
		f.tokens += p.Tokens
	}
}

// maxFreedNames limits the names in the line about freed tokens.
const maxFreedNames = 2

// String returns a line about the freed tokens and their sources, and the savings of pruning in the turn.
// The savings include earlier pruning passes. They are omitted if pruning has saved nothing in the whole
// session. The line is empty if nothing was freed or saved.
func (f *freed) String(turn, session chat.Saving) string {
	var said []string
	if f.tokens > 0 {
		said = append(said, fmt.Sprintf("pruned %s tokens: %s", humanize.Tokens(f.tokens), f.names()))
	}
	if turn.Sign() > 0 && session.Saved > 0 {
		said = append(said, turn.String())
	}
	if len(said) == 0 {
		return ""
	}
	return strings.Join(append(said, "/density"), " · ")
}

// names lists the sources of the removed parts, the largest first.
func (f *freed) names() string {
	of := slices.SortedStableFunc(slices.Values(f.of), func(a, b freedOf) int { return cmp.Compare(b.tokens, a.tokens) })
	var names []string
	for _, o := range of[:min(len(of), maxFreedNames)] {
		switch {
		case o.name == "":
			names = append(names, humanize.Count(o.count, "result"))
		case o.count > 1:
			names = append(names, fmt.Sprintf("%s ×%d", o.name, o.count))
		default:
			names = append(names, o.name)
		}
	}
	if more := len(of) - maxFreedNames; more > 0 {
		names = append(names, humanize.Count(more, "other"))
	}
	return strings.Join(names, ", ")
}
