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
			{Does: "say on one screen what requests cost, what left the context, and why", Run: d.lists(false)},
			{Args: "all", Does: "list all that left, cut by cut, and all that is held back", Run: d.lists(true)},
			{Args: "explain", Does: "say what would leave before the next request, and what that costs", Run: command.Say(d.explain)},
			{Args: "show NUMBER", Does: "describe one of the list, with its content", Run: showOne(d.showPrune), Complete: d.completePrunes},
			{Args: "NUMBER", Does: "the same", Run: showOne(d.showPrune)},
			{Args: "restore NUMBER", Does: "bring it back into the context", Run: showOne(d.restorePrune), Complete: d.completePrunes},
			{Args: "why TEXT", Rest: true, Does: "the same as /why TEXT", Run: d.whyLines, Complete: d.completeFiles(true, true)},
			{
				Args: "pin PATH", Does: "keep pruning away from a file", Complete: d.completeFiles(true, false),
				Run: d.pin(true, "pinned: pruning leaves %s alone (a compression may still summarise it)"),
			},
			{
				Args: "unpin PATH", Does: "let it be pruned again", Complete: d.completeFiles(false, true),
				Run: d.pin(false, "%s is pruned like others again"),
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
	there := fmt.Sprintf("there are 1 to %d", len(ledger))
	if len(ledger) == 0 {
		there = "nothing left the context so far"
	}
	if err != nil {
		there += ", and /help density lists the words"
	}
	return 0, chat.PruneRecord{}, fmt.Errorf("no prune %q; %s", text, there)
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
	heading, content, err := d.Past.Removed(ctx, n)
	if err != nil {
		return append(lines, "", err.Error()), nil
	}
	lines = append(lines, "", heading, "")
	return append(lines, strings.Split(strings.TrimSuffix(content, "\n"), "\n")...), nil
}

// restorePrune brings the content of one prune back into the context.
func (d density) restorePrune(ctx context.Context, text string) ([]string, error) {
	n, p, err := d.number(ctx, text)
	if err != nil {
		return nil, err
	}
	tokens, err := d.Past.BringBack(ctx, n)
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("%d is back in the context as its newest entry: %s, %s tokens", n, p.Subject, humanize.Tokens(tokens))}, nil
}

// pin returns the command that pins or unpins a file. says is the sentence for the person, with
// %s in place of the file.
func (d density) pin(pinned bool, says string) command.Run {
	return showOne(func(ctx context.Context, path string) ([]string, error) {
		file, err := d.Context.Pin(ctx, path, pinned)
		if err != nil {
			return nil, err
		}
		return []string{fmt.Sprintf(says, fsutil.Short(file, d.Workspace))}, nil
	})
}

// completionTime bounds how long completion may wait for the conversation.
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

// completeFiles proposes files that the conversation knows: the unpinned files if loose is set,
// and the pinned files if pins is set.
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
				files = append(files, command.Completion{Value: fsutil.Short(file, d.Workspace)})
			}
		}
		return files
	}
}
