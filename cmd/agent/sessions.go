package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/app"
	"agent/internal/base/rawjson"
	"agent/internal/frontend/cli"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/share"
	"agent/internal/slash"

	"github.com/spf13/cobra"
)

func newSessions(w world) *cobra.Command {
	list := newSessionsList(w)
	group := &cobra.Command{
		Use:   "sessions",
		Short: "List, search, show and share recorded sessions",
		Args:  cli.NoSubcommand,
		RunE:  list.RunE,
	}
	group.AddCommand(list, newSessionsShow(w), newSessionsSearch(w), newSessionsWhy(w), newSessionsCache(w), newSessionsAudit(w), newSessionsExport(w), newSessionsShare(w), newSessionsDelete(w))
	return group
}

func newSessionsList(w world) *cobra.Command {
	var all, agents, asJSON bool
	cmd := &cobra.Command{
		Use:   "list [WORDS…]",
		Short: "List sessions of this folder that match WORDS, latest first",
		Long: `Lists the sessions of this folder, latest first. WORDS select sessions by title, first message,
ID or branch.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, infos, err := listSessions(w, all)
			if err != nil {
				return err
			}
			if wanted := strings.Join(args, " "); wanted != "" {
				if infos = session.Search(infos, wanted); len(infos) == 0 && !asJSON {
					return w.tell(fmt.Sprintf("no session of this folder matches %q", wanted))
				}
			}
			if asJSON {
				return printSessions(w, f, infos)
			}
			if len(infos) == 0 {
				return w.tell("no sessions are recorded for this folder yet")
			}
			return w.print(slash.SessionLines(infos, slash.ListOptions{Workspaces: all, Agents: agents}, w.process.Now())...)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "list the sessions of every folder")
	cmd.Flags().BoolVar(&agents, "agents", false, "also list the subagents of each session; agent sessions show takes their IDs")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// listedSession is a session in JSON, with its present state.
type listedSession struct {
	session.Info
	// Running is set while a process has the session open. PID is the ID of that process.
	Running bool
	PID     int `json:",omitempty"`
	// Agents holds the agents of the session.
	Agents []session.Info `json:",omitempty"`
	// WaitingSince is the time since which the session has waited for a user's answer, or nil if it does
	// not wait.
	WaitingSince *time.Time `json:",omitempty"`
}

func printSessions(w world, f app.Folders, infos []session.Info) error {
	listed := []listedSession{}
	for _, info := range infos {
		one := listedSession{Info: info, Agents: session.AgentsOf(info.Path)}
		if held := session.LockHolder(info.Path); held != nil {
			one.Running, one.PID = true, held.PID
			if since := f.WaitingSince(info.ID); !since.IsZero() {
				one.WaitingSince = &since
			}
		}
		listed = append(listed, one)
	}
	return rawjson.WriteIndented(w.out, listed)
}

func listSessions(w world, all bool) (app.Folders, []session.Info, error) {
	f, err := w.process.Folders()
	if err != nil {
		return f, nil, err
	}
	workspace := ""
	if !all {
		if workspace, err = filepath.EvalSymlinks(w.process.Dir); err != nil {
			return f, nil, err
		}
	}
	infos, err := session.List(f.Sessions(), workspace)
	return f, infos, err
}

func newSessionsShow(w world) *cobra.Command {
	var stats, context bool
	cmd := sessionCommand(w, "show NAME", "Show the conversation of a session, or its size with --stats", func(_ app.Folders, info session.Info) error {
		in, err := readInput(w, info.Path)
		if err != nil {
			return err
		}
		if err := w.print(info.ID+" in "+info.Workspace, ""); err != nil {
			return err
		}
		if !stats {
			said, err := spoken(info, in, context)
			if err != nil {
				return err
			}
			return w.print(strings.TrimRight(share.Markdown(said), "\n"))
		}
		engine, err := newEngine(w, settingsOptions{})
		if err != nil {
			return err
		}
		shown, err := engine.Show(in)
		if err != nil {
			return err
		}
		return w.printOutcome(shown)
	})
	cmd.Flags().BoolVar(&context, "context", false, contextUsage)
	cmd.Flags().BoolVar(&stats, "stats", false, "show tokens and the largest entries")
	return cmd
}

func newSessionsExport(w world) *cobra.Command {
	var asJSON, context bool
	cmd := sessionCommand(w, "export NAME", "Print a session as Markdown, or as a document for agent context", func(_ app.Folders, info session.Info) error {
		in, err := readInput(w, info.Path)
		if err != nil {
			return err
		}
		if !asJSON {
			said, err := spoken(info, in, context)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(w.out, strings.TrimRight(share.Markdown(said), "\n"))
			return err
		}
		document, err := history.WriteDocument(in.WorkspaceRoot, in.History)
		if err != nil {
			return err
		}
		_, err = w.out.Write(document)
		return err
	})
	cmd.Flags().BoolVar(&context, "context", false, contextUsage)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the current context as a document")
	return cmd
}

func newSessionsDelete(w world) *cobra.Command {
	return sessionCommand(w, "delete ID", "Delete a recorded session", func(f app.Folders, info session.Info) error {
		if err := f.DeleteSession(info); err != nil {
			return err
		}
		return w.print("deleted " + info.ID)
	})
}

// sessionCommand returns a command on one session. If use contains NAME, the user can name the session by
// words of its title, as well as by its ID.
func sessionCommand(w world, use, short string, act func(app.Folders, session.Info) error) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cli.ExactArgs(1, "a session (to list them: agent sessions list --all)"),
		RunE: func(_ *cobra.Command, args []string) error {
			f, info, err := wantedSession(w, use, args[0])
			if err != nil {
				return err
			}
			return act(f, info)
		},
		ValidArgsFunction: completeSessions(w),
	}
}

// wantedSession returns the session that name identifies for the command with a use. Read-only commands
// also accept subagents.
func wantedSession(w world, use, name string) (app.Folders, session.Info, error) {
	f, err := w.process.Folders()
	if err != nil {
		return f, session.Info{}, err
	}
	info, err := f.NamedSession(w.process.Dir, name)
	if err != nil && slices.Contains([]string{"show", "why", "cache", "audit"}, strings.Fields(use)[0]) {
		if all, listing := session.List(f.Sessions(), ""); listing == nil {
			if agent, found := session.FindAgent(all, name); found {
				info, err = agent, nil
			}
		}
	}
	if err == nil && strings.HasSuffix(use, " ID") {
		info, err = session.FindByID([]session.Info{info}, name)
	}
	if err != nil {
		return f, info, usage(err)
	}
	return f, info, nil
}

func completeSessions(w world) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		_, infos, err := listSessions(w, true)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var ids []cobra.Completion
		for _, i := range infos {
			ids = append(ids, cobra.CompletionWithDesc(i.ID, i.Title))
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}
