package slash

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/table"
	"agent/internal/chat"
	"agent/internal/chat/window"
	"agent/internal/command"
)

// ledgerWidth is the width of the ledger in columns; it stays readable in a narrow terminal.
const ledgerWidth = 60

// lists returns the command that reports the cost of the requests, the prunes and the parts held back.
// Unless all is set, the report is limited to one screen.
func (d density) lists(all bool) command.RunFunc {
	return command.ShowLines(func(ctx context.Context, _ []string) ([]string, error) {
		ledger, err := d.Context.Ledger(ctx)
		if err != nil {
			return nil, err
		}
		held, err := d.Context.PrunableParts(ctx, "")
		if err != nil {
			return nil, err
		}
		story, err := d.Context.CostComparison(ctx)
		if err != nil {
			return nil, err
		}
		stats, err := d.Session.Stats(ctx)
		if err != nil {
			return nil, err
		}
		agents := tellAgents(d.Agents.AgentSavings(), stats.Saving)
		lines := slices.Concat(agents, d.tellStory(story, stats, ledger, len(story.Bills)), d.describeLedger(ledger), d.describeHeld(held))
		if !all && len(lines) > screenLines {
			lines = append(agents[max(0, len(agents)-1):], d.onOneScreen(story, stats, ledger, held)...)
		}
		return lines, nil
	})
}

// screenLines is the number of lines for a report on a screen of 24 lines, beside the input and the status.
const screenLines = 18

// onOneScreen shows the latest lines of each part of the report, and counts the lines it omits.
func (d density) onOneScreen(story chat.CostComparison, stats chat.Stats, ledger []chat.PruneRecord, held []chat.PrunablePart) []string {
	lines := append(d.tellStory(story, stats, ledger, storyRows), d.latestPrunes(ledger)...)
	if detail := d.describeHeld(held); len(detail) > 0 {
		lines = append(lines, detail[1])
	}
	return append(lines, densityVerbs)
}

// densityVerbs lists the other forms of /density.
const densityVerbs = "Also: /density all, explain, show, restore, why, pin, unpin"

const nothingPruned = "Nothing was pruned yet."

// describeLedger lists every prune, grouped below its pruning pass, and a line with the sums.
func (d density) describeLedger(ledger []chat.PruneRecord) []string {
	if len(ledger) == 0 {
		return []string{nothingPruned}
	}
	rows := [][]string{{"#", "turn", "time", "tokens", "content and reason"}}
	for i, p := range ledger {
		rows = append(rows, []string{strconv.Itoa(i + 1), strconv.Itoa(p.Turn), p.At.Format("15:04"), humanize.Tokens(p.Tokens), ""})
	}
	heads := table.Lines("rrlrl", rows)
	lines := []string{heads[0]}
	indent := strings.Repeat(" ", strings.Index(heads[0], "content"))
	for i, p := range ledger {
		if p.Cut != nil && (i == 0 || ledger[i-1].Cut != p.Cut) {
			lines = append(lines, describeCut(ledger, i)...)
		}
		head := heads[i+1] + strings.Repeat(" ", max(0, len(indent)-len(heads[i+1])))
		lines = append(lines, head+d.subject(p.Subject, ledgerWidth-len(indent))+": "+p.Reason)
	}
	return append(lines, "", sumOf(ledger), densityVerbs)
}

// sumOf counts the prunes, the freed tokens and the compressions of a ledger.
func sumOf(ledger []chat.PruneRecord) string {
	freed, compressed := 0, 0
	for _, p := range ledger {
		if window.IsByCompression(p) {
			compressed++
		} else {
			freed += p.Tokens
		}
	}
	sum := fmt.Sprintf("%s pruned, %s tokens", humanize.Count(len(ledger)-compressed, "part"), humanize.Tokens(freed))
	if compressed > 0 {
		sum += fmt.Sprintf("; %s compressed", humanize.Count(compressed, "part"))
	}
	return sum
}

// describeCut describes the size and the price of the pruning pass that begins at line first of the ledger.
func describeCut(ledger []chat.PruneRecord, first int) []string {
	cut, units, tokens := ledger[first].Cut, 0, 0
	for _, p := range ledger[first:] {
		if p.Cut != cut {
			break
		}
		units++
		tokens += p.Tokens
	}
	price := "saves at once"
	if cut.Paid > 0 {
		price = fmt.Sprintf("costs %s tokens now, saves %s per request, pays back by request %d", humanize.Tokens(int(cut.Paid)), humanize.Tokens(int(cut.Saves)), cut.Request+cut.Back)
	}
	return []string{fmt.Sprintf("before request %d: %s, %s tokens; %s", cut.Request, humanize.Count(units, "part"), humanize.Tokens(tokens), price)}
}

// describeHeld lists the parts of the context that could be pruned but are held back, and the
// pinned parts.
func (d density) describeHeld(held []chat.PrunablePart) []string {
	var lines []string
	tokens, n := 0, 0
	for _, h := range held {
		if !h.Waiting && !h.Pinned {
			continue
		}
		n++
		tokens += h.Tokens
		lines = append(lines, d.describePart(h)...)
	}
	if n == 0 {
		return nil
	}
	return append([]string{"", fmt.Sprintf("Still in the context: %s, %s tokens", humanize.Count(n, "part"), humanize.Tokens(tokens))}, lines...)
}

// describePart describes a part of the context and the reason why it is still in the context.
func (d density) describePart(h chat.PrunablePart) []string {
	const indent = "        "
	return []string{fmt.Sprintf("%6s  %s: %s", humanize.Tokens(h.Tokens), cutLeft(d.shorten(h.Subject), ledgerWidth-len(indent)), h.Reason)}
}

// describePrune returns the full description of one prune.
func (d density) describePrune(n int, p chat.PruneRecord) []string {
	where := "not stored; to get it again, the model must read the file or run the command again"
	if d.Recorded {
		where = "in the session log; the model can recall it"
	}
	rows := [][]string{
		{"entry", strconv.Itoa(n)},
		{"what", p.Subject},
		{"kind", strings.ReplaceAll(string(p.Kind), "-", " ")},
		{"why", p.Reason},
		{"size", fmt.Sprintf("%d tokens", p.Tokens)},
		{"when", fmt.Sprintf("%s, turn %d", p.At.Format("2006-01-02 15:04:05"), p.Turn)},
		{"where", where},
	}
	if cut := p.Cut; cut != nil {
		rows = append(rows,
			[]string{"pruning pass", fmt.Sprintf("before request %d; pays back after %s; earlier passes saved %.0f tokens", cut.Request, humanize.Count(cut.Back, "request"), cut.Bank)},
			[]string{"cost", fmt.Sprintf("%.0f tokens once; saves %.0f per request", cut.Paid, cut.Saves)})
	}
	return table.Lines("ll", rows)
}

// subject returns the subject of a prune in at most width columns. A path is relative to the workspace, and
// is shortened at its beginning. Other text is shortened at its end.
func (d density) subject(subject string, width int) string {
	subject = d.shorten(subject)
	if strings.Contains(subject, ": ") {
		return cutRight(subject, width)
	}
	return cutLeft(subject, width)
}

func (d density) shorten(subject string) string {
	if filepath.IsAbs(subject) && !strings.Contains(subject, " ") {
		return fsutil.RelativeBelow(subject, d.Workspace)
	}
	return subject
}

// cutLeft shortens text to width at its beginning, because the end of a path is more informative.
func cutLeft(text string, width int) string {
	if over := ansi.StringWidth(text) - width; over > 0 {
		return ansi.TruncateLeft(text, over+1, "…")
	}
	return text
}

func cutRight(text string, width int) string { return ansi.Truncate(text, width, "…") }
