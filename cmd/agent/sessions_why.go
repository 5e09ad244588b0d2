package main

import (
	"errors"
	"math"
	"path/filepath"
	"strings"

	"agent/internal/app"
	"agent/internal/base/rawjson"
	"agent/internal/chat"
	"agent/internal/extend/setup/instructions"
	"agent/internal/frontend/cli"
	"agent/internal/settings"
	"agent/prompts"

	"github.com/spf13/cobra"
)

func newSessionsWhy(w world) *cobra.Command {
	var o contextOptions
	cmd := &cobra.Command{
		Use:   "why NAME TEXT…",
		Short: "Explain why a session's context has, or lacks, a text or file",
		Long: `Builds the next request of the session without sending it. For a file, or for a text as
written, it shows each place in the request with its tokens. For pruned content it shows
when and why it was pruned, how many tokens it had, and how to restore it.`,
		Example: `  agent sessions why qecgs internal/client.go
  agent sessions why qecgs connection refused
  agent sessions why qecgs --json AGENTS.md`,
		Args: cli.CountedArgs(2, math.MaxInt, "a session, and a text or a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			question := strings.Join(args[1:], " ")
			if strings.TrimSpace(question) == "" {
				return usage(errors.New("can't search for an empty text: name a text or a file"))
			}
			f, info, err := wantedSession(w, cmd.Use, args[0])
			if err != nil {
				return err
			}
			in, err := readInput(w, info.Path)
			if err != nil {
				return err
			}
			engine, err := newEngine(w, o.settingsOptions)
			if err != nil {
				return err
			}
			if engine.System, err = promptAt(w, f, in.WorkspaceRoot, engine.Settings); err != nil {
				return err
			}
			answer, err := engine.TraceText(cmd.Context(), in, question)
			if err != nil {
				return err
			}
			if o.json {
				return rawjson.WriteIndented(w.out, answer)
			}
			return w.printOutcome(answer)
		},
		ValidArgsFunction: completeSessions(w),
	}
	o.register(cmd, w)
	return cmd
}

// promptAt returns the system prompt, with instructions, that a session in a workspace gets when it is
// resumed.
func promptAt(w world, f app.Folders, workspace string, s *settings.Settings) (chat.SystemPrompt, error) {
	templates, err := prompts.Load(filepath.Join(f.Config, "prompts"))
	if err != nil {
		return nil, err
	}
	session := prompts.Session{Workspace: workspace}
	for _, file := range instructions.Find(instructions.Locations{Locations: w.process.TrustedLocations(f, workspace), Files: settings.SplitItems(settings.InstructionFiles.Value(s))}).Files {
		session.Instructions = append(session.Instructions, prompts.Instruction{Source: file.Path, Text: file.Text})
	}
	return app.SystemPrompt(templates, func() prompts.Session { return session }), nil
}
