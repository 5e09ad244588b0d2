package slash

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/disk"
	"agent/internal/words"
)

// density is what /density works on.
type density struct {
	session   Session
	workspace string
	recorded  bool
}

// densityForms are what /density does.
var densityForms = []command.Form{
	{Does: "say on one screen what requests cost, what left the context, and why"},
	{Args: "all", Does: "list all that left, cut by cut, and all that is held back"},
	{Args: "explain", Does: "say what would leave before the next request, and what that costs"},
	{Args: "show NUMBER", Does: "describe one of the list, with its content"},
	{Args: "restore NUMBER", Does: "bring it back into the context"},
	{Args: "why PATH", Does: "say what became of a file in the context, and why"},
	{Args: "pin PATH", Does: "keep pruning away from a file"},
	{Args: "unpin PATH", Does: "let it be pruned again"},
}

func densityCommand(deps Deps) command.Command {
	d := density{deps.Session, deps.Workspace, deps.Recorded}
	return command.Command{
		Name: "density", Aliases: []string{"prunes"}, MaxArgs: 2,
		Usage:    densityForms,
		Help:     "list what left the context, and why",
		Run:      d.run,
		Complete: d.complete,
	}
}

func (d density) run(ctx context.Context, args []string) (command.Output, error) {
	if len(args) == 0 || len(args) == 1 && strings.EqualFold(args[0], "all") {
		return d.listDensity(ctx, len(args) > 0)
	}
	verb, args := strings.ToLower(args[0]), args[1:]
	if verb == "explain" && len(args) == 0 {
		return d.explain(ctx)
	}
	if _, err := strconv.Atoi(verb); err == nil && len(args) == 0 {
		verb, args = "show", []string{verb}
	}
	acts := map[string]func(context.Context, string) (command.Output, error){
		"show": d.showPrune, "restore": d.restorePrune, "why": d.whyDensity,
		"pin":   d.pin(true, "pinned: pruning leaves %s alone (a compression may still summarise it)"),
		"unpin": d.pin(false, "%s is pruned like others again"),
	}
	act, ok := acts[verb]
	switch {
	case !ok:
		return command.Output{}, fmt.Errorf("unknown word %q; %s", verb, (command.Command{Name: "density", Usage: densityForms}).Takes())
	case len(args) == 0 && (verb == "show" || verb == "restore"):
		return command.Output{}, fmt.Errorf("say which: /density %s NUMBER; /density lists them", verb)
	case len(args) == 0:
		return command.Output{}, fmt.Errorf("say which file: /density %s PATH", verb)
	}
	return act(ctx, args[0])
}

// number reads the number of a line of the ledger.
func (d density) number(ctx context.Context, text string) (int, chat.PruneRecord, error) {
	ledger, err := d.session.Ledger(ctx)
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
func (d density) showPrune(ctx context.Context, text string) (command.Output, error) {
	n, p, err := d.number(ctx, text)
	if err != nil {
		return command.Output{}, err
	}
	lines := d.describePrune(n, p)
	if !d.recorded {
		return command.Output{Lines: lines}, nil
	}
	heading, content, err := d.session.Removed(ctx, n)
	if err != nil {
		return command.Output{Lines: append(lines, "", err.Error())}, nil
	}
	lines = append(lines, "", heading, "")
	return command.Output{Lines: append(lines, strings.Split(strings.TrimSuffix(content, "\n"), "\n")...)}, nil
}

// restorePrune brings one back.
func (d density) restorePrune(ctx context.Context, text string) (command.Output, error) {
	n, p, err := d.number(ctx, text)
	if err != nil {
		return command.Output{}, err
	}
	tokens, err := d.session.BringBack(ctx, n)
	if err != nil {
		return command.Output{}, err
	}
	return command.Output{Lines: []string{fmt.Sprintf("%d is back in the context as its newest entry: %s, %s tokens", n, p.Subject, words.Tokens(tokens))}}, nil
}

// pin pins a file or unpins it; says is what comes of that, with %s for the file.
func (d density) pin(pinned bool, says string) func(context.Context, string) (command.Output, error) {
	return func(ctx context.Context, path string) (command.Output, error) {
		file, err := d.session.Pin(ctx, path, pinned)
		if err != nil {
			return command.Output{}, err
		}
		return command.Output{Lines: []string{fmt.Sprintf(says, disk.Short(file, d.workspace))}}, nil
	}
}

// completionTime is how long completion may wait for the conversation.
const completionTime = 100 * time.Millisecond

// completeDensity proposes what /density does, and what with.
func (d density) complete(args []string) []command.Completion {
	if len(args) == 0 {
		var verbs []command.Completion
		for _, form := range densityForms[1:] {
			verb, _, _ := strings.Cut(form.Args, " ")
			verbs = append(verbs, command.Completion{Value: verb, Help: form.Does})
		}
		return verbs
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	switch args[0] {
	case "show", "restore":
		return d.completePrunes(ctx)
	case "why", "pin", "unpin":
		return d.completeFiles(ctx, args[0])
	}
	return nil
}

func (d density) completePrunes(ctx context.Context) []command.Completion {
	ledger, err := d.session.Ledger(ctx)
	if err != nil {
		return nil
	}
	var numbers []command.Completion
	for i, p := range slices.Backward(ledger) {
		numbers = append(numbers, command.Completion{Value: strconv.Itoa(i + 1), Help: p.Subject})
	}
	return numbers
}

func (d density) completeFiles(ctx context.Context, verb string) []command.Completion {
	known, pinned, err := d.session.KnownFiles(ctx)
	if err != nil {
		return nil
	}
	if verb == "unpin" {
		known = pinned
	}
	var files []command.Completion
	for _, file := range known {
		if verb == "pin" && slices.Contains(pinned, file) {
			continue
		}
		files = append(files, command.Completion{Value: disk.Short(file, d.workspace)})
	}
	return files
}
