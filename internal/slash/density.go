package slash

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/command"
)

// density runs the forms of /density.
type density struct{ Deps }

func densityCommand(deps Deps) command.Command {
	d := density{deps}
	return command.Command{
		Name: "density", Aliases: []string{"prunes"}, Help: "list pruned content, with reasons",
		Forms: []command.Form{
			{Does: "show request costs and the latest pruned content", Run: d.lists(false)},
			{Args: "all", Does: "list pruned and prunable content", Run: d.lists(true)},
			{Args: "explain", Does: "preview the next request: its cost, and the content pruned before it", Run: command.ShowLines(d.explain)},
			{Args: "show NUMBER", Does: "show pruned entry NUMBER with its content", Run: showOne(d.showPrune), Complete: d.completePrunes},
			{Args: "NUMBER", Does: "same as show NUMBER", Run: showOne(d.showPrune)},
			{Args: "restore NUMBER", Does: "restore pruned content", Run: showOne(d.restorePrune), Complete: d.completePrunes},
			{Args: "why TEXT", Rest: true, Does: "same as /why TEXT", Run: d.whyLines, Complete: d.completeFiles(true, true)},
			{
				Args: "pin PATH", Does: "exclude a file from pruning", Complete: d.completeFiles(true, false),
				Run: d.pin(true, "Pinned %s: never pruned, but compression may summarize it."),
			},
			{
				Args: "unpin PATH", Does: "allow pruning of a file again", Complete: d.completeFiles(false, true),
				Run: d.pin(false, "Unpinned %s: it can be pruned again."),
			},
		},
	}
}

// number parses the number of a line of the ledger, and returns the prune on that line.
func (d density) number(ctx context.Context, text string) (int, chat.PruneRecord, error) {
	ledger, err := d.Context.Ledger(ctx)
	if err != nil {
		return 0, chat.PruneRecord{}, err
	}
	n, err := strconv.Atoi(text)
	if err == nil && 0 < n && n <= len(ledger) {
		return n, ledger[n-1], nil
	}
	there := fmt.Sprintf("use 1 to %d", len(ledger))
	if len(ledger) == 0 {
		there = "nothing was pruned yet"
	}
	if err != nil {
		there += ", or see /help density"
	}
	return 0, chat.PruneRecord{}, fmt.Errorf("no pruned entry %q: %s", text, there)
}

// showPrune describes one prune completely and, if the session is recorded, shows the content
// that it removed.
func (d density) showPrune(ctx context.Context, text string) ([]string, error) {
	n, p, err := d.number(ctx, text)
	if err != nil {
		return nil, err
	}
	lines := d.describePrune(n, p)
	if !d.Recorded {
		return lines, nil
	}
	heading, content, err := d.Past.PrunedContent(ctx, n)
	if err != nil {
		return append(lines, "", err.Error()), nil
	}
	lines = append(lines, "", heading, "")
	return append(lines, strings.Split(strings.TrimSuffix(content, "\n"), "\n")...), nil
}

func (d density) restorePrune(ctx context.Context, text string) ([]string, error) {
	n, p, err := d.number(ctx, text)
	if err != nil {
		return nil, err
	}
	tokens, err := d.Past.RestoreContent(ctx, n)
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("Restored entry %d to the end of the context: %s, %s tokens.", n, p.Subject, humanize.Tokens(tokens))}, nil
}

// pin returns the command that pins or unpins a file. says is the sentence for the user, in which %s stands
// for the file.
func (d density) pin(pinned bool, says string) command.RunFunc {
	return showOne(func(ctx context.Context, path string) ([]string, error) {
		file, err := d.Context.Pin(ctx, path, pinned)
		if err != nil {
			return nil, err
		}
		return []string{fmt.Sprintf(says, fsutil.RelativeBelow(file, d.Workspace))}, nil
	})
}

// completionTime limits how long completion may wait for the conversation.
const completionTime = 100 * time.Millisecond

func (d density) completePrunes([]string) (numbers []command.Completion) {
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	ledger, _ := d.Context.Ledger(ctx)
	for i, p := range slices.Backward(ledger) {
		numbers = append(numbers, command.Completion{Value: strconv.Itoa(i + 1), Help: p.Subject})
	}
	return numbers
}

// completeFiles proposes files that the conversation has read: the unpinned files if loose is set, and the
// pinned files if pins is set.
func (d density) completeFiles(loose, pins bool) func([]string) []command.Completion {
	return func([]string) (files []command.Completion) {
		ctx, cancel := context.WithTimeout(context.Background(), completionTime)
		defer cancel()
		known, pinned, _ := d.Context.KnownFiles(ctx)
		if !loose {
			known = pinned // a file stays pinned after it has left the context
		}
		for _, file := range known {
			if is := slices.Contains(pinned, file); is && pins || !is && loose {
				files = append(files, command.Completion{Value: fsutil.RelativeBelow(file, d.Workspace)})
			}
		}
		return files
	}
}
