package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/testrun"
	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/toolspec"
	"agent/internal/tui/mailbox"
	"agent/internal/tui/pager"
	"agent/internal/tui/patch"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
)

// These are the limits of the output shown for a tool, in lines.
const (
	// liveOutputLines limits the output of a running command.
	liveOutputLines = 5
	// resultLines limits the printed output of a finished command.
	resultLines = 8
	// typedLines limits the printed output of a command that the user ran.
	typedLines = 40
	// diffLines limits the printed part of an edit.
	diffLines = 40
	// errorLines limits the printed part of a failure.
	errorLines = 6
)

type runningTool struct {
	call    int
	said    toolspec.Label
	started time.Time
	// told is set after a line about the end of the call's subagent was printed.
	told bool
	// output is the end of the call's output.
	output []byte
}

func (a *activity) toolOutput(e chat.ToolOutput) {
	for i := range a.tools {
		if t := &a.tools[i]; t.call == e.Call {
			t.output = humanize.KeepEnd(append(t.output, e.Data...), mailbox.MaxOutputBytes)
		}
	}
}

func (a *activity) toolEnded(e chat.ToolEnded) {
	a.endThinking()
	a.turn.arriving = ""
	told := slices.ContainsFunc(a.tools, func(t runningTool) bool { return t.call == e.Call && t.told })
	a.tools = slices.DeleteFunc(a.tools, func(t runningTool) bool { return t.call == e.Call })
	if plan := a.turn.plan; plan != "" && e.Traits.Asks { // the question that showed the plan is gone
		a.turn.plan = ""
		a.surface.print(transcript.KindText, func(_ *style.Theme, width int) []string { return a.surface.md.Render(plan, width) })
	}
	answer, done := e.Answer, describe(e.Label)
	if e.Traits.Runs {
		if counts, tested := testrun.Count(answer.Text); tested {
			a.turn.tests = &counts
		}
	}
	if (answer.Diff != "" || answer.Text != "" || answer.Error != "") && refusal(e) == "" {
		text := cmp.Or(answer.Text, answer.Error, "no output")
		o := output{Page: pager.Page{Key: callKey(e.Call), Title: done.PastTense(), Layout: plainLay(text)}, spool: answer.Spool}
		if answer.Diff != "" {
			o = output{Page: pager.Page{Key: callKey(e.Call), Title: done.PastTense(), Layout: func(t *style.Theme, width int) []string { return patch.Render(t, answer.Diff, width) }}}
		}
		a.outputs.add(o)
	}
	switch {
	case told:
	case (e.Traits.ShowsFile() || e.Traits.ShowsFiles()) && answer.Error == "":
		reads, _ := a.surface.held.(heldReads)
		a.surface.held = append(reads, readFile{done.Subject, humanize.LineCount(answer.Text)})
	case answer.Diff != "" && refusal(e) == "":
		a.surface.endHeld()
		a.surface.held = heldEdit(e)
	default:
		a.surface.print(transcript.KindLine, toolRows(e, 0))
	}
}

// heldEdit is an edit that has just ended. It is not printed until the tokens that it freed are known.
type heldEdit chat.ToolEnded

func (e heldEdit) rows() transcript.Layout { return toolRows(chat.ToolEnded(e), 0) }

// kind implements held. Blank lines separate the context lines of a change from the next heading.
func (heldEdit) kind() transcript.Kind { return transcript.KindText }

// toolRows lays out a finished call, with the tokens that pruning freed after it.
func toolRows(e chat.ToolEnded, freed int) transcript.Layout {
	return func(t *style.Theme, width int) []string { return toolResult(t, e, freed, width) }
}

// ownLine is the share of the context window, in percent, from which freed tokens are shown on a separate
// line.
const ownLine = 2

// densityApplied prints the result of pruning. If little was freed, the result is appended to the line of
// the previous edit.
func (a *activity) densityApplied(e chat.DensityApplied) {
	a.turn.freed.add(e.Prunes)
	if a.surface.settings().QuietDensity {
		return
	}
	freed := e.PrunedTokens()
	edit, held := a.surface.held.(heldEdit)
	if !held || freed <= 0 || freed*100 >= ownLine*e.Limit {
		a.surface.note(dim, "≈", e.String())
		return
	}
	a.surface.held = nil
	a.surface.print(transcript.KindText, toolRows(chat.ToolEnded(edit), freed))
}

// readFile is a file that was read, and the number of lines that were read.
type readFile struct {
	name  string
	lines int
}

// heldReads holds files that were read in a row. They are printed together before the next other output.
type heldReads []readFile

// kind implements held.
func (heldReads) kind() transcript.Kind { return transcript.KindLine }

// rows lays out the files as one entry.
func (reads heldReads) rows() transcript.Layout {
	return func(t *style.Theme, width int) []string {
		var spans style.Spans
		for i, file := range reads {
			much := readLines(t, file.lines)
			if i < len(reads)-1 {
				much += ", "
			}
			spans = append(append(spans, t.LinkText(file.name, t.Plain)...), style.Span{Text: much, Style: t.Dim})
		}
		rows := style.WrapSpans(append(style.Spans{{Text: readVerb + " "}}, spans...), max(20, width-2))
		return style.Indent(rows, t.Sign(t.OK, "✓"), "  ")
	}
}

func readLines(t *style.Theme, n int) string {
	if t.Spoken {
		return ", " + humanize.Count(n, "line")
	}
	return fmt.Sprintf(" (%d)", n)
}

// toolResult lays out a finished call. It depends on the answer, never on the tool's name. An answer with a
// diff is an edit, and an answer with an exit code is a command. All other answers are texts that were
// read.
func toolResult(t *style.Theme, e chat.ToolEnded, freed, width int) []string {
	a := e.Answer
	if refused := refusal(e); refused != "" {
		return noteRows(bad, "✗", describe(e.Label).NotDone()+" — "+refused)(t, width)
	}
	if a.Declined {
		return noteRows(dim, "·", describe(e.Label).DeclinedText())(t, width)
	}
	failed := a.Error != "" || a.ExitCode != nil && *a.ExitCode != 0
	glyph := t.Sign(t.OK, "✓")
	if failed {
		glyph = t.Sign(t.Bad, "✗")
	}
	most := resultLines
	if e.Typed {
		most = typedLines
	}
	said, body := outcome(t, a, width-2, most)
	if e.Duration >= 100*time.Millisecond && a.ExitCode != nil || e.Duration >= time.Second {
		said = style.JoinComma(said, humanize.Duration(e.Duration))
	}
	if freed > 0 {
		said += " · pruned " + humanize.Tokens(freed)
	}
	done := describe(e.Label)
	what := done.NotDone()
	if a.ExitCode != nil || a.Diff != "" || a.Error == "" {
		what = done.PastTense()
	}
	return append([]string{glyph + headed(t, what, said, width-2)}, style.IndentAll(body, "  ")...)
}

// headed returns a row of at most room columns: the description of finished work, and its result. Parts of
// the result that do not fit are omitted from the end.
func headed(t *style.Theme, what, said string, room int) string {
	if said != "" {
		said = t.SpellSigns(" — " + said)
	}
	if t.Spoken {
		room = spokenColumns // a screen reader receives the whole line
	}
	said = style.Parts(said, ", ", max(room-style.Width(what), room/2))
	return style.Truncate(t.LinkText(what, t.Plain).String(), max(20, room-style.Width(said))) + t.Dim.Text(said)
}

// refusal describes the user's refusal of a call, or returns "" if the call was allowed.
func refusal(e chat.ToolEnded) string {
	switch {
	case e.Unanswered:
		return "you interrupted instead"
	case e.Denied == nil:
		return ""
	case e.Denied.Reason != "":
		return "you refused: " + e.Denied.Reason
	}
	return "you refused"
}

// outcome returns a short text about the result of a call, and the rows to show below it. They contain at
// most most lines of the output of a command.
func outcome(t *style.Theme, a tools.Answer, width, most int) (outcome string, body []string) {
	switch {
	case a.Diff != "":
		return patch.StatText(a.Diff), boundRows(t, patch.Render(t, a.Diff, width), diffLines)
	case a.ExitCode != nil:
		text := strings.TrimRight(style.Clean(a.Text), "\n")
		return style.JoinComma(fmt.Sprintf("exit %d", *a.ExitCode), howMuch(a)), lastLines(t, text, width, most, a.Spool == "")
	case a.Error != "":
		why := style.WrapSpans(t.LinkText(strings.TrimSpace(style.CleanProse(a.Error)), t.Bad), max(20, width))
		return "", append(boundRows(t, why, errorLines), lastLines(t, strings.TrimRight(style.Clean(a.Text), "\n"), width, most, a.Spool == "")...)
	}
	return howMuch(a), nil
}

// howMuch returns a text about the size of a result before it was shortened.
func howMuch(a tools.Answer) string {
	if a.Summary != "" {
		return style.Reveal(humanize.FirstLine(a.Summary)).Text
	}
	if n := humanize.LineCount(a.Text); n > 0 {
		return humanize.Count(n, "line")
	}
	return "no output"
}

// boundRows removes rows at the end and adds a row with the number of omitted rows.
func boundRows(t *style.Theme, lines []string, most int) []string {
	if more := len(lines) - most; more > 1 {
		return append(lines[:most:most], t.Dim.Text(leftOut(t, fmt.Sprintf("%d more lines", more))))
	}
	return lines
}

// leftOut describes the omitted lines, and names the key that opens them. In plain mode, where no key opens
// them, the text contains that they are not read.
func leftOut(t *style.Theme, what string) string {
	if t.Spoken {
		return "not read: " + strings.Replace(what, "all of it", "the lines before", 1)
	}
	return "… " + what + ": " + t.Opens
}

// spokenColumns limits the length of a line for a screen reader, in columns.
const spokenColumns = 4000

// lastLines returns the last lines of a command's output, at most most of them, below a row about the
// omitted lines. The row contains their number if text is the whole output.
func lastLines(t *style.Theme, text string, width, most int, whole bool) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	var rows []string
	if more := len(lines) - most; more > 1 {
		said := "all of it"
		if whole {
			said = humanize.Count(more, "line") + " before"
		}
		rows = append(rows, t.Dim.Text(leftOut(t, said)))
		lines = lines[more:]
	}
	for _, line := range lines {
		rows = append(rows, style.Truncate(t.LinkText(line, t.Dim).String(), max(20, width)))
	}
	return rows
}

// toolsView lists the files that were just read and the running tools. Each tool has the elapsed time and
// the end of its output.
func (a *activity) toolsView(width, room int) []string {
	var lines []string
	if reads, held := a.surface.held.(heldReads); held && room > 0 {
		rows := reads.rows()(a.surface.theme, width)
		lines = rows[max(0, len(rows)-room):]
	}
	lines = append(lines, a.agentsView(width, room-len(lines))...)
	for i, tool := range a.tools {
		if len(lines) >= room {
			break
		}
		if a.hasAgent(tool) {
			continue
		}
		time := " " + humanize.Elapsed(a.surface.now().Sub(tool.started))
		lines = append(lines, a.surface.spinner()+" "+style.Truncate(tool.said.Progressive(), width-2-len(time))+a.surface.theme.Dim.Text(time))
		share := min(liveOutputLines, (room-len(lines))/(len(a.tools)-i))
		lines = append(lines, dimTail(a.surface.theme, string(tool.output), width, share)...)
	}
	return lines
}

// dimTail returns the end of an output or of reasoning, indented below its heading.
func dimTail(t *style.Theme, text string, width, most int) []string {
	rows := style.Tail(text, width-2, most)
	for i, row := range rows {
		rows[i] = t.Dim.Text("  " + row)
	}
	return rows
}

// readVerb is the verb for file reads that are shown together.
const readVerb = "read"

// describe makes the label of a call safe to show, because names and arguments are external text.
func describe(said toolspec.Label) toolspec.Label {
	clean := func(text string) string { return style.Reveal(humanize.FirstLine(text)).Text }
	said.Now, said.Done, said.Do = clean(said.Now), clean(said.Done), clean(said.Do)
	said.Subject = clean(said.Subject)
	return said
}
