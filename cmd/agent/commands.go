package main

import (
	"context"

	"agent/internal/command"
	"agent/internal/gitdiff"
	"agent/internal/history"
)

// commands are the slash commands, acting on session. The keys are those of the
// screen, if there is one.
func (a *app) commands(ctx context.Context, session command.Session, keys []command.Key) *command.Commands {
	return command.New(ctx, command.Deps{
		Session:    session,
		Settings:   a.settings,
		Profiles:   a.profiles,
		Models:     a.offeredModels,
		Tools:      a.describedTools,
		Todos:      func() []string { return a.env.Todos.List().Lines() },
		Jobs:       a.jobs,
		EndJob:     a.endJob,
		Transcript: func(context.Context) (string, error) { return history.Transcript(a.chat.History.RawHistory()), nil },
		Document:   func(context.Context) (string, error) { return a.document() },
		Diff:       func(ctx context.Context) (string, error) { return gitdiff.Workspace(ctx, a.workspace.Root()) },
		Sessions:   a.recordedSessions,
		SessionID:  a.sessionID,
		Resume:     a.resumer(keys != nil),
		Fork:       a.forker(),
		Keys:       keys,
		Recorded:   a.session != nil,
		Workspace:  a.workspace.Root(),
		Log:        command.Log{Path: a.log.path, Level: a.log.level},
		Now:        a.world.now,
	})
}

// jobs are what runs in the background, and what ran there.
func (a *app) jobs() []command.Job {
	var jobs []command.Job
	for _, job := range a.env.Jobs.List() {
		jobs = append(jobs, command.Job{ID: job.ID, State: job.State(), Running: job.Running(), Command: job.Line, Output: job.Spool()})
	}
	return jobs
}

func (a *app) endJob(id int) {
	if job, err := a.env.Jobs.Find(id); err == nil {
		job.Kill()
	}
}

// document is the conversation as agent context reads it.
func (a *app) document() (string, error) {
	text, err := history.WriteDocument(a.workspace.Root(), a.chat.History.RawHistory())
	return string(text), err
}

func (a *app) offeredModels(ctx context.Context) ([]command.Model, error) {
	listed, err := a.connection.Models(ctx)
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
