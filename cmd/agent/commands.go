package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"agent/internal/command"
	"agent/internal/history"
)

// commands are the slash commands, acting on session.
func (a *app) commands(ctx context.Context, session command.Session) *command.Commands {
	return command.New(ctx, command.Deps{
		Session:    session,
		Settings:   a.settings,
		Profiles:   a.profiles,
		Models:     a.offeredModels,
		Tools:      a.describedTools,
		Transcript: func(context.Context) (string, error) { return history.Transcript(a.chat.History.RawHistory()), nil },
		Diff:       a.workspaceDiff,
		Workspace:  a.workspace.Root(),
		Log:        command.Log{Path: a.log.path, Level: a.log.level},
		Now:        a.world.now,
	})
}

func (a *app) offeredModels(ctx context.Context) ([]command.Model, error) {
	listed, err := a.connection.models(ctx)
	if err != nil {
		return nil, err
	}
	models := make([]command.Model, len(listed))
	for i, m := range listed {
		models[i] = command.Model{ID: m.ID, ContextLimit: m.ContextLimit}
	}
	return models, nil
}

func (a *app) describedTools() []command.Tool {
	var described []command.Tool
	for _, t := range a.registry.All() {
		described = append(described, command.Tool{Name: t.Name, Kind: t.Kind.String(), Description: t.Description})
	}
	return described
}

// workspaceDiff is what changed in the workspace since its last commit.
func (a *app) workspaceDiff(ctx context.Context) (string, error) {
	root := a.workspace.Root()
	git := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = root
		return cmd.Output()
	}
	out, err := git("diff", "--no-color", "--no-ext-diff", "HEAD")
	var failed *exec.ExitError
	switch {
	case err == nil:
		return string(out), nil
	case !errors.As(err, &failed):
		return "", fmt.Errorf("git diff: %w", err)
	}
	if _, err := git("rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return "", fmt.Errorf("there is nothing to compare with: %s is not in a git repository with a commit", root)
	}
	reason, _, _ := strings.Cut(strings.TrimSpace(string(failed.Stderr)), "\n")
	return "", fmt.Errorf("git diff: %s", reason)
}
