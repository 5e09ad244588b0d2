package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"agent/internal/chat"
	"agent/internal/words"
)

// ledgerWidth keeps the ledger readable in a narrow terminal.
const ledgerWidth = 60

func (c *Commands) densityCommand() Command {
	return Command{
		Name: "density", Aliases: []string{"prunes"}, MaxArgs: 1,
		Usage: []Form{{"", "list them"}, {"NUMBER", "describe one of the list"}},
		Help:  "list what was removed from the context, and why",
		Run: func(ctx context.Context, args []string) (Output, error) {
			ledger, err := c.deps.Session.Ledger(ctx)
			if err != nil {
				return Output{}, err
			}
			switch {
			case len(ledger) == 0:
				return Output{Lines: []string{"Nothing was pruned so far."}}, nil
			case len(args) == 0:
				return Output{Lines: describeLedger(ledger)}, nil
			}
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 1 || n > len(ledger) {
				return Output{}, fmt.Errorf("no prune %q; there are 1 to %d", args[0], len(ledger))
			}
			return Output{Lines: c.describePrune(n, ledger[n-1])}, nil
		},
	}
}

// describeLedger lists every prune and sums them up.
func describeLedger(ledger []chat.PruneRecord) []string {
	rows := [][]string{{"#", "turn", "time", "tokens", "what and why"}}
	freed := 0
	for i, p := range ledger {
		freed += p.Tokens
		rows = append(rows, []string{strconv.Itoa(i + 1), strconv.Itoa(p.Turn), p.At.Format("15:04"), words.Tokens(p.Tokens), ""})
	}
	heads := table([]column{right, right, left, right, left}, rows)
	lines := []string{heads[0]}
	indent := strings.Repeat(" ", strings.Index(heads[0], "what"))
	for i, p := range ledger {
		head := heads[i+1] + strings.Repeat(" ", max(0, len(indent)-len(heads[i+1])))
		lines = append(lines,
			head+cutLeft(p.Subject, ledgerWidth-len(indent)),
			indent+cutRight(pruneKind(p)+": "+p.Reason, ledgerWidth-len(indent)))
	}
	return append(lines, "", fmt.Sprintf("%d pruned, %s tokens freed; /density NUMBER describes one", len(ledger), words.Tokens(freed)))
}

// describePrune describes one completely.
func (c *Commands) describePrune(n int, p chat.PruneRecord) []string {
	where := "the model can read it again"
	if c.deps.Recorded {
		where = "the session log keeps it; " + where
	}
	rows := [][]string{
		{"prune", strconv.Itoa(n)},
		{"what", p.Subject},
		{"kind", pruneKind(p)},
		{"why", p.Reason},
		{"freed", fmt.Sprintf("%d tokens", p.Tokens)},
		{"when", fmt.Sprintf("%s, turn %d", p.At.Format("2006-01-02 15:04:05"), p.Turn)},
		{"where", where},
	}
	if cut := p.Cut; cut != nil {
		rows = append(rows,
			[]string{"its cut", fmt.Sprintf("pays back after %s; %.0f tokens were in the bank", words.Count(cut.Back, "request"), cut.Bank)},
			[]string{"paid", fmt.Sprintf("%.0f tokens at once, saves %.0f with each request", cut.Paid, cut.Saves)})
	}
	return table([]column{left, left}, rows)
}

// pruneKind is the kind of a prune in words.
func pruneKind(p chat.PruneRecord) string { return strings.ReplaceAll(string(p.Kind), "-", " ") }
