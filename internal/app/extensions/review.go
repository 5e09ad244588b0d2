package extensions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/lazyregexp"
	"agent/internal/base/outputschema"
	"agent/internal/chat"
	"agent/internal/cmdline"
	"agent/internal/command"
	"agent/internal/extend/setup/agents"
	"agent/internal/git/diff"
	"agent/internal/history"
	"agent/internal/review"
	"agent/internal/text/lines"
	"agent/internal/tools"
)

// reviewName is the name of the built-in command that reviews a change. A command of a user or
// a repository with the same name replaces it.
const reviewName = "review"

// reviewCallable describes the built-in review in lists of commands.
var reviewCallable = command.Callable{
	Name: reviewName, Origin: "built in", Hint: "[BASE|BASE...COMMIT|NUMBER] [#PATH…] [WORDS…]",
	Help: "review what changed since BASE (default: the main branch), or a pull request, without changing anything",
}

// reviewTask defines a review. reviewAnswer is the answer format for the model of the conversation, and
// reviewFindings the format for a subagent.
const (
	reviewTask = `Review the change below, as a careful colleague would before it is merged. Change nothing.

Look at the code around each hunk, its callers and its tests, before you judge; run what only looks. Report defects that this change brings or leaves: wrong results, crashes, races, leaks, lost data, security, broken callers, missing or empty tests. Leave out taste, what a formatter does, and what was so before. Each finding must be something that you have checked.

`
	reviewAnswer   = `Answer with one line a finding, the worst first: file:line: what is wrong, when it happens, and what to do. Without findings say so in one line. Then, in at most three lines, what you could not check.`
	reviewFindings = "Your last message must be only JSON that matches this JSON Schema. A program reads it, and drops findings whose quotes are not in the change:\n\n" + review.Schema
)

// reviewAgent is the subagent that reviews changes.
var reviewAgent = agents.Agent{
	Name: reviewName, Origin: agents.OriginBuiltIn, Looks: true, Description: "reviews a change and changes nothing",
	Prompt: "You review a change of the workspace, with tools that only look.",
}

// A Reviewer runs a subagent on a task. It returns the subagent's id and its last message. A task with
// Continue resumes an earlier subagent.
type Reviewer func(ctx context.Context, agent agents.Agent, task tools.Task) (id, said string, err error)

// An Agent reviews changes in place of the model of the conversation. If Reviews is nil, Why is the reason.
// Why is "" if the caller asked for a review without a subagent.
type Agent struct {
	Reviews Reviewer
	Why     string
}

// reviewShare is the divisor of the context window that limits the diff in a review.
const reviewShare = 4

// review handles a message that calls /review. A subagent reviews the change, and its reply is added to the
// message. Without subagents, review adds blocks that ask the model of the conversation for the review. It
// ignores other messages.
func (b *Extensions) review(ctx context.Context, line string, run chat.RunEmbedded, agent Agent, into *called) (err error) {
	fields := strings.Fields(line)
	if len(fields) == 0 || fields[0] != "/"+reviewName {
		return nil
	}
	of, paths, words := b.reviewArguments(ctx, fields[1:])
	root := b.Env.Workspace.Root()
	if of.number != "" {
		of.commit, err = b.fetchPull(ctx, of.number, run)
	}
	changes, from := "", ""
	switch {
	case err != nil:
	case of.commit != "":
		changes, from, err = diff.Between(ctx, root, of.base, of.commit, paths)
	default:
		changes, from, err = diff.Since(ctx, root, of.base, paths)
	}
	if err == nil && strings.TrimSpace(changes) == "" {
		err = errors.New("nothing has changed since " + from)
	}
	if err != nil {
		return fmt.Errorf("/%s: %w", reviewName, err)
	}
	b.reviewed.Store(&changes)
	about := ""
	if of.commit != "" {
		about += "\n\nThe change ends with the commit " + of.commit + ", which is not checked out: git show COMMIT:FILE has its files."
	}
	if words != "" {
		about += "\n\nThe user adds: " + words
	}
	limit := b.Window() / reviewShare * bytesPerToken
	shown := lines.Head(changes, limit)
	title := "What changed since " + from + ", as data:"
	if shown != changes {
		title = "What changed since " + from + ", as data; its end is left out, read that with git diff:"
	}
	data := history.NewData(history.SourceCommand, title, shown)
	if reviewer := agent.Reviews; reviewer != nil {
		into.reply = func(ctx context.Context) (string, error) {
			return reviewed(ctx, reviewer, tools.Task{Title: "what changed since " + from, Task: reviewTask + reviewFindings + about + "\n\n" + data.Text}, changes)
		}
		return nil
	}
	if agent.Why != "" {
		into.notice = "The model of this conversation does the review, because no subagent can: " + agent.Why
	}
	into.blocks = []history.Block{&history.Text{Text: reviewTask + reviewAnswer + about, Source: history.SourceExtension, Key: chat.ReviewKey}, data}
	return nil
}

// reviewed runs the review of a diff by a subagent, and returns the findings that quote lines of the diff.
func reviewed(ctx context.Context, reviewer Reviewer, task tools.Task, diff string) (string, error) {
	schema, err := outputschema.Parse([]byte(review.Schema))
	if err != nil {
		return "", err
	}
	id, said, err := reviewer(ctx, reviewAgent, task)
	if err != nil {
		return "", err
	}
	answer, misfit := schema.ParseAnswer(said)
	if misfit != nil {
		if _, again, err := reviewer(ctx, reviewAgent, tools.Task{Title: task.Title, Task: schema.RetryPrompt(misfit), Continue: id}); err == nil {
			said = again
			answer, misfit = schema.ParseAnswer(said)
		} else if ctx.Err() != nil {
			return "", err
		}
	}
	if misfit != nil {
		return "Agent " + id + " returned no structured findings, so none were checked:\n\n" + said, nil
	}
	kept, dropped, err := review.Check(answer, diff)
	if err != nil {
		return "", err
	}
	text := kept.Markdown()
	for _, line := range dropped {
		text += "\n\n(" + line + ")"
	}
	return text, nil
}

// LatestReviewDiff returns the whole diff of the latest review, "" if there was none.
func (b *Extensions) LatestReviewDiff() string {
	if diff := b.reviewed.Load(); diff != nil {
		return *diff
	}
	return ""
}

// A subject identifies the change to review. It is a pull request, the changes since a commit, or the
// changes of the folder since the history branched from base.
type subject struct{ base, commit, number string }

// fetched matches the id of a fetched commit.
var fetched = lazyregexp.New(`^[0-9a-f]{40,64}$`)

// reviewArguments splits the arguments of a review into its subject, the paths, and other words for
// the model.
func (b *Extensions) reviewArguments(ctx context.Context, fields []string) (of subject, paths []string, words string) {
	isCommit := func(word string) bool { return diff.IsCommit(ctx, b.Env.Workspace.Root(), word) }
	if len(fields) > 0 && !strings.HasPrefix(fields[0], "#") {
		base, commit, several := strings.Cut(fields[0], "...")
		switch {
		case several && (base == "" || isCommit(base)) && isCommit(commit):
			of, fields = subject{base: base, commit: commit}, fields[1:]
		case isCommit(fields[0]):
			of, fields = subject{base: fields[0]}, fields[1:]
		case diff.IsPullRequest(fields[0]):
			of, fields = subject{number: fields[0]}, fields[1:]
		}
	}
	fields = slices.DeleteFunc(fields, func(field string) bool {
		path, named := strings.CutPrefix(field, "#")
		if named {
			paths = append(paths, path)
		}
		return named
	})
	return of, paths, strings.Join(fields, " ")
}

// fetchPull fetches a pull request without creating a branch, and returns its commit. The fetch is a
// command that requires approval.
func (b *Extensions) fetchPull(ctx context.Context, number string, run chat.RunEmbedded) (commit string, err error) {
	args, err := diff.FetchArgs(ctx, b.Env.Workspace.Root(), number, b.Environ())
	if err != nil {
		return "", err
	}
	line := "git " + cmdline.Join(args) + " && git rev-parse FETCH_HEAD"
	output, refused, err := run(ctx, line, "it fetches pull request "+number+", without creating a branch")
	switch {
	case err != nil:
		return "", err
	case refused != "":
		return "", fmt.Errorf("can't fetch pull request %s: %s", number, refused)
	}
	for _, line := range lines.Split(output) {
		if line = strings.TrimSpace(line); fetched.MatchString(line) {
			return line, nil
		}
	}
	return "", diff.FetchError(number, output)
}
