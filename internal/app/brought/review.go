package brought

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/gitdiff"
	"agent/internal/history"
	"agent/internal/text/lines"
)

// reviewName is the name of the built-in command that reviews a change. A command of a person or
// a repository with the same name replaces it.
const reviewName = "review"

// reviewCallable describes the built-in review in lists of commands.
var reviewCallable = command.Callable{
	Name: reviewName, Origin: "built in", Hint: "[BASE] [#PATH…] [WORDS…]",
	Help: "review what changed since BASE (default: the main branch), without changing anything",
}

const reviewPrompt = `Review the change below, as a careful colleague would before it is merged. Change nothing.

Look at the code around each hunk, its callers and its tests, before you judge; run what only looks. Report defects that this change brings or leaves: wrong results, crashes, races, leaks, lost data, security, broken callers, missing or empty tests. Leave out taste, what a formatter does, and what was so before. Each finding must be something that you have checked.

Answer with one line a finding, the worst first: file:line: what is wrong, when it happens, and what to do. Without findings say so in one line. Then, in at most three lines, what you could not check.`

// reviewShare is the divisor of the window that bounds the diff in a review.
const reviewShare = 4

// reviewBlocks returns the blocks of the review that a line calls, nil if it calls none.
func (b *Brought) reviewBlocks(ctx context.Context, line string) ([]history.Block, error) {
	fields := strings.Fields(line)
	if len(fields) == 0 || fields[0] != "/"+reviewName {
		return nil, nil
	}
	base, paths, words := b.reviewArguments(ctx, fields[1:])
	diff, from, err := gitdiff.Since(ctx, b.Env.Workspace.Root(), base, paths)
	if err == nil && strings.TrimSpace(diff) == "" {
		err = errors.New("nothing has changed since " + from)
	}
	if err != nil {
		return nil, fmt.Errorf("/%s: %w", reviewName, err)
	}
	text := reviewPrompt
	if words != "" {
		text += "\n\nThe user adds: " + words
	}
	most := b.Window() / reviewShare * bytesPerToken
	shown := lines.Head(diff, most)
	title := "What changed since " + from + ", as data:"
	if shown != diff {
		title = "What changed since " + from + ", as data; its end is left out, read that with git diff:"
	}
	return []history.Block{
		&history.Text{Text: text, Source: history.Brought, Key: chat.ReviewKey},
		history.NewData(history.Printed, title, shown),
	}, nil
}

// reviewArguments splits the arguments of a review into the commit to compare with, the paths,
// and other words for the model.
func (b *Brought) reviewArguments(ctx context.Context, fields []string) (base string, paths []string, words string) {
	if len(fields) > 0 && !strings.HasPrefix(fields[0], "#") && gitdiff.IsCommit(ctx, b.Env.Workspace.Root(), fields[0]) {
		base, fields = fields[0], fields[1:]
	}
	fields = slices.DeleteFunc(fields, func(field string) bool {
		path, named := strings.CutPrefix(field, "#")
		if named {
			paths = append(paths, path)
		}
		return named
	})
	return base, paths, strings.Join(fields, " ")
}
