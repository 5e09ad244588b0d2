package command

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/words"
)

func (c *Commands) densityCommand() Command {
	return Command{
		Name: "density", Aliases: []string{"prunes"}, MaxArgs: 2,
		Usage: []Form{
			{"", "say on one screen what requests cost, what left the context, and why"},
			{"all", "list all that left, cut by cut, and all that is held back"},
			{"show NUMBER", "describe one of the list, with its content"},
			{"restore NUMBER", "bring it back into the context"},
			{"why PATH", "say what became of a file in the context, and why"},
			{"pin PATH", "keep pruning away from a file"},
			{"unpin PATH", "let it be pruned again"},
		},
		Help:     "list what left the context, and why",
		Run:      c.density,
		Complete: c.completeDensity,
	}
}

func (c *Commands) density(ctx context.Context, args []string) (Output, error) {
	if len(args) == 0 || len(args) == 1 && strings.EqualFold(args[0], "all") {
		return c.listDensity(ctx, len(args) > 0)
	}
	verb, args := strings.ToLower(args[0]), args[1:]
	if _, err := strconv.Atoi(verb); err == nil && len(args) == 0 {
		verb, args = "show", []string{verb}
	}
	acts := map[string]func(context.Context, string) (Output, error){
		"show": c.showPrune, "restore": c.restorePrune, "why": c.whyDensity, "pin": c.pinFile, "unpin": c.unpinFile,
	}
	act, ok := acts[verb]
	switch {
	case !ok:
		return Output{}, fmt.Errorf("unknown word %q; %s", verb, c.densityCommand().takes())
	case len(args) == 0 && (verb == "show" || verb == "restore"):
		return Output{}, fmt.Errorf("say which: /density %s NUMBER; /density lists them", verb)
	case len(args) == 0:
		return Output{}, fmt.Errorf("say which file: /density %s PATH", verb)
	}
	return act(ctx, args[0])
}

// number reads the number of a line of the ledger.
func (c *Commands) number(ctx context.Context, text string) (int, chat.PruneRecord, error) {
	ledger, err := c.deps.Session.Ledger(ctx)
	if err != nil {
		return 0, chat.PruneRecord{}, err
	}
	n, err := strconv.Atoi(text)
	switch {
	case len(ledger) == 0:
		return 0, chat.PruneRecord{}, fmt.Errorf("no prune %q; nothing left the context so far", text)
	case err != nil || n < 1 || n > len(ledger):
		return 0, chat.PruneRecord{}, fmt.Errorf("no prune %q; there are 1 to %d", text, len(ledger))
	}
	return n, ledger[n-1], nil
}

// showPrune describes one completely, and shows what it took.
func (c *Commands) showPrune(ctx context.Context, text string) (Output, error) {
	n, p, err := c.number(ctx, text)
	if err != nil {
		return Output{}, err
	}
	lines := c.describePrune(n, p)
	if !c.deps.Recorded {
		return Output{Lines: lines}, nil
	}
	heading, content, err := c.deps.Session.Removed(ctx, n)
	if err != nil {
		return Output{Lines: append(lines, "", err.Error())}, nil
	}
	lines = append(lines, "", heading, "")
	return Output{Lines: append(lines, strings.Split(strings.TrimSuffix(content, "\n"), "\n")...)}, nil
}

// restorePrune brings one back.
func (c *Commands) restorePrune(ctx context.Context, text string) (Output, error) {
	n, p, err := c.number(ctx, text)
	if err != nil {
		return Output{}, err
	}
	tokens, err := c.deps.Session.BringBack(ctx, n)
	if err != nil {
		return Output{}, err
	}
	return Output{Lines: []string{fmt.Sprintf("%d is back in the context as its newest entry: %s, %s tokens", n, p.Subject, words.Tokens(tokens))}}, nil
}

func (c *Commands) pinFile(ctx context.Context, path string) (Output, error) {
	file, err := c.deps.Session.Pin(ctx, path, true)
	if err != nil {
		return Output{}, err
	}
	return Output{Lines: []string{"pinned: pruning leaves " + c.shortPath(file) + " alone (a compression may still summarise it)"}}, nil
}

func (c *Commands) unpinFile(ctx context.Context, path string) (Output, error) {
	file, err := c.deps.Session.Pin(ctx, path, false)
	if err != nil {
		return Output{}, err
	}
	return Output{Lines: []string{c.shortPath(file) + " is pruned like others again"}}, nil
}

// shortPath is a path from the workspace where it is below it.
func (c *Commands) shortPath(path string) string {
	if rel, err := filepath.Rel(c.deps.Workspace, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// completionTime is how long completion may wait for the conversation.
const completionTime = 100 * time.Millisecond

// completeDensity proposes what /density does, and what with.
func (c *Commands) completeDensity(args []string) []Completion {
	if len(args) == 0 {
		var verbs []Completion
		for _, form := range c.densityCommand().Usage[1:] {
			verb, _, _ := strings.Cut(form.Args, " ")
			verbs = append(verbs, Completion{Value: verb, Help: form.Does})
		}
		return verbs
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	switch args[0] {
	case "show", "restore":
		return c.completePrunes(ctx)
	case "why", "pin", "unpin":
		return c.completeFiles(ctx, args[0])
	}
	return nil
}

func (c *Commands) completePrunes(ctx context.Context) []Completion {
	ledger, err := c.deps.Session.Ledger(ctx)
	if err != nil {
		return nil
	}
	var numbers []Completion
	for i, p := range slices.Backward(ledger) {
		numbers = append(numbers, Completion{Value: strconv.Itoa(i + 1), Help: p.Subject})
	}
	return numbers
}

func (c *Commands) completeFiles(ctx context.Context, verb string) []Completion {
	known, pinned, err := c.deps.Session.KnownFiles(ctx)
	if err != nil {
		return nil
	}
	if verb == "unpin" {
		known = pinned
	}
	var files []Completion
	for _, file := range known {
		if verb == "pin" && slices.Contains(pinned, file) {
			continue
		}
		files = append(files, Completion{Value: c.shortPath(file)})
	}
	return files
}
