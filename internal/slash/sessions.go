package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/table"
	"agent/internal/command"
	"agent/internal/session"
)

// errOneSession is returned if the program cannot switch sessions, because it ends with its command.
var errOneSession = errors.New("can't switch sessions here. To list sessions, run: agent sessions list. To resume one, run: agent -r ID")

var errNotRecorded = errors.New("this session is not recorded, so it can't be renamed or forked")

func sessionsCommand(d Deps) command.Command {
	return command.Command{
		Name: "sessions", Help: "list recorded sessions, or resume one",
		Forms: []command.Form{
			{Does: "list the sessions of this folder and choose one", Run: d.chooseSession(false)},
			{Args: "all", Does: "list the sessions of all folders and choose one", Run: d.chooseSession(true)},
		},
	}
}

func resumeCommand(d Deps) command.Command {
	return command.Command{
		Name: "resume", Help: "leave this session and resume another",
		Forms: []command.Form{
			{Does: "list the sessions of this folder and choose one", Run: d.chooseSession(false)},
			{Args: "NAME", Rest: true, Does: "resume a session; NAME is its ID, the end of its ID, or words of its title", Run: d.resume, Complete: func([]string) (proposals []command.Completion) {
				infos, _ := d.Sessions.List(false) // if the sessions cannot be read, there are no proposals
				for _, i := range infos {
					proposals = append(proposals, command.Completion{Value: i.ID, Help: i.Title})
				}
				return proposals
			}},
		},
	}
}

// resume ends this session and continues the session with a name. If several sessions have the name, resume
// lists them.
func (d Deps) resume(ctx context.Context, words []string) (command.Output, error) {
	if d.Resume == nil {
		return command.Output{}, errOneSession
	}
	err := d.Session.CheckIdle(ctx)
	if err == nil {
		err = d.Resume(strings.Join(words, " "))
	}
	if several := (*session.AmbiguousError)(nil); errors.As(err, &several) {
		pick, unlisted := d.Sessions.AmbiguousChoiceList(several)
		return command.Output{Lines: SessionLines(several.Fit, ListOptions{Workspaces: true}, d.Now()), Pick: pick}, unlisted
	}
	return command.Output{Quit: err == nil}, err
}

func renameCommand(d Deps) command.Command {
	return command.Command{
		Name: "rename", Help: "set the title of the session",
		Forms: []command.Form{
			{Does: "show the title", Run: command.ShowLines(d.rename)},
			{Args: "TITLE", Rest: true, Does: "set the title; - removes it", Run: command.ShowLines(d.rename)},
		},
	}
}

// rename sets the title of the session to the joined words, if there are any, and returns the title. The
// word "-" removes the title.
func (d Deps) rename(_ context.Context, words []string) ([]string, error) {
	if d.Record.Rename == nil {
		return nil, errNotRecorded
	}
	switch title := strings.Join(words, " "); title {
	case "":
	case "-":
		return []string{"Removed the title."}, d.Record.Rename("")
	default:
		if err := d.Record.Rename(title); err != nil {
			return nil, err
		}
	}
	if d.Record.Title() == "" {
		return []string{"The session has no title. To set one, type /rename TITLE."}, nil
	}
	return []string{"Title: " + d.Record.Title()}, nil
}

func forkCommand(d Deps) command.Command {
	return command.Command{
		Name: "fork", Help: "continue in a copy of this session",
		Forms: plain(func(ctx context.Context) (command.Output, error) {
			if d.Record.Fork == nil {
				return command.Output{}, errNotRecorded
			}
			if err := d.Session.CheckIdle(ctx); err != nil {
				return command.Output{}, err
			}
			before, now, err := d.Record.Fork()
			if err != nil {
				return command.Output{}, err
			}
			return command.Output{Lines: []string{fmt.Sprintf("This is now session %s. Session %s is unchanged. To resume that one, run: agent -r %s", now, before, before)}}, nil
		}),
	}
}

func (d Deps) chooseSession(all bool) command.RunFunc {
	return func(context.Context, []string) (command.Output, error) {
		infos, err := d.Sessions.List(all)
		if err != nil {
			return command.Output{}, err
		}
		if len(infos) == 0 {
			return command.Output{Lines: []string{"No recorded sessions in this folder."}}, nil
		}
		out := command.Output{Lines: SessionLines(infos, ListOptions{Workspaces: all}, d.Now())}
		if d.Resume != nil {
			out.Pick = d.Sessions.ChoiceList(infos, all, false)
		}
		return out, nil
	}
}

// A ListOptions selects the columns of a list of sessions: the folder and the subagents of each.
type ListOptions struct{ Workspaces, Agents bool }

// SessionLines lists sessions as text, one per line under a heading.
func SessionLines(infos []session.Info, with ListOptions, now time.Time) []string {
	rows := [][]string{{"session", "used", "messages", "branch", "title"}}
	unanswered := 0
	for _, i := range infos {
		if i.Unanswered() {
			unanswered++
			continue
		}
		text := humanize.Line(i.Title, ledgerWidth)
		if i.Unattended {
			text = "-p: " + text
		}
		if with.Workspaces {
			text += "  (" + i.Workspace + ")"
		}
		rows = append(rows, []string{i.ID, timeAgo(now.Sub(i.Used)), fmt.Sprint(i.Messages), humanize.Line(i.Branch, 24), text})
		if with.Agents {
			for _, agent := range session.AgentsOf(i.Path) {
				rows = append(rows, []string{"  " + agent.ID, timeAgo(now.Sub(agent.Used)), "", "", "  " + humanize.Line(agent.Title, ledgerWidth)})
			}
		}
	}
	lines := table.Lines("lrrll", rows)
	if unanswered > 0 {
		lines = append(lines, "Omitted: "+humanize.Count(unanswered, "run")+" of agent -p without an answer. To list all, run: agent sessions list --json")
	}
	return lines
}

// SessionLists builds lists of sessions for a screen and runs the key actions of these lists.
type SessionLists struct {
	// List returns the sessions of this folder, or of all folders if all is set. The most recently used
	// session comes first.
	List   func(all bool) ([]session.Info, error)
	Rename func(info session.Info, title string) error
	// Delete removes a session, unless it is in use.
	Delete func(info session.Info) error
	// InUse returns the id of the session that is open here, or "" for none.
	InUse func() string
	Now   func() time.Time
}

// ChoiceList returns a list of sessions for a screen. Choosing a session runs /resume. The list shows either the
// conversations or the runs of scripts.
func (s SessionLists) ChoiceList(infos []session.Info, all, scripts bool) *command.ChoiceList {
	kind := func(scripts bool) (of []session.Info) {
		for _, i := range infos {
			if i.Unattended == scripts {
				of = append(of, i)
			}
		}
		return of
	}
	shown, others := kind(scripts), kind(!scripts)
	if len(shown) == 0 {
		shown, others, scripts = others, nil, !scripts
	}
	pick := s.choices(shown, all)
	switch {
	case scripts && all:
		pick.Title = "agent -p run, every folder"
	case scripts:
		pick.Title = "agent -p run"
	case all:
		pick.Title = "session, every folder"
	}
	byLine := map[string]session.Info{}
	for _, i := range shown {
		byLine["/resume "+i.ID] = i
	}
	again := func(all, scripts bool) (*command.ChoiceList, error) {
		infos, err := s.List(all)
		if err != nil {
			return nil, err
		}
		return s.ChoiceList(infos, all, scripts), nil
	}
	pick.Actions = []command.ChoiceAction{
		{Key: "ctrl+t", Name: "rename", Edits: true, Run: func(c command.Choice, title string) (*command.ChoiceList, error) {
			if err := s.Rename(byLine[c.Line], title); err != nil {
				return nil, err
			}
			return again(all, scripts)
		}},
		{Key: "ctrl+x", Name: "delete", Asks: "delete", Run: func(c command.Choice, _ string) (*command.ChoiceList, error) {
			info := byLine[c.Line]
			if info.ID == s.InUse() {
				return nil, errors.New("can't delete the session that is open here")
			}
			if err := s.Delete(info); err != nil {
				return nil, err
			}
			return again(all, scripts)
		}},
		{Key: "ctrl+o", Name: map[bool]string{true: "this folder", false: "every folder"}[all], Run: func(command.Choice, string) (*command.ChoiceList, error) {
			return again(!all, scripts)
		}},
	}
	if len(others) > 0 {
		name := map[bool]string{true: humanize.Count(len(others), "conversation"), false: humanize.Count(len(others), "agent -p run")}[scripts]
		pick.Actions = append(pick.Actions, command.ChoiceAction{Key: "ctrl+s", Name: name, Run: func(command.Choice, string) (*command.ChoiceList, error) {
			return again(all, !scripts)
		}})
	}
	return pick
}

// AmbiguousChoiceList returns a list of sessions for a name that several sessions have. The list initially searches
// for the name.
func (s SessionLists) AmbiguousChoiceList(several *session.AmbiguousError) (*command.ChoiceList, error) {
	all, scripts := false, true
	for _, info := range several.Fit {
		all = all || info.Workspace != several.Fit[0].Workspace
		scripts = scripts && info.Unattended
	}
	listed, err := s.List(false)
	all = all || !slices.ContainsFunc(listed, func(i session.Info) bool { return i.ID == several.Fit[0].ID })
	if err == nil && all {
		listed, err = s.List(true)
	}
	if err != nil {
		return nil, err
	}
	pick := s.ChoiceList(listed, all, scripts)
	pick.Query = several.Name
	return pick, nil
}

func (s SessionLists) choices(infos []session.Info, all bool) *command.ChoiceList {
	pick := &command.ChoiceList{Title: "session"}
	for _, i := range infos {
		about := []string{timeAgo(s.Now().Sub(i.Used))}
		if i.Unattended {
			about = append(about, "-p")
		}
		if i.Parent != "" {
			about = append(about, "fork")
		}
		about = append(about, humanize.Count(i.Messages, "message"))
		for _, more := range []string{i.Branch, i.Model} {
			if more != "" {
				about = append(about, humanize.Line(more, 40))
			}
		}
		if all {
			about = append(about, i.Workspace)
		}
		preview := sync.OnceValue(func() string { return session.Preview(i.Path) })
		pick.Choices = append(pick.Choices, command.Choice{
			Name: i.Title, Help: strings.Join(about, " · "), Line: "/resume " + i.ID, InUse: i.ID == s.InUse(),
			Also:    sync.OnceValue(func() string { return i.ID + " " + i.FirstPrompt + "\n" + preview() }),
			Preview: preview,
		})
	}
	return pick
}

// timeAgo formats a past time span in its largest unit.
func timeAgo(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	}
	return humanize.Count(int(d/day), "day") + " ago"
}
