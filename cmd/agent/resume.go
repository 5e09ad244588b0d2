package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"agent/internal/chat"
	"agent/internal/git"
	"agent/internal/llm"
	"agent/internal/rawjson"
	"agent/internal/session"
	"agent/internal/shell"
	"agent/internal/todo"
	"agent/internal/words"
)

// resumes reports whether a recorded session goes on.
func (o sessionOptions) resumes() bool { return o.continues || o.resume != "" }

// sessionsDir is where the records of all sessions are.
func (f folders) sessionsDir() string { return filepath.Join(f.data, "sessions") }

// record opens the session log: a new one, or the one to go on with. Keys that come
// into use are kept out of it, should a command print one.
func (a *app) record(o sessionOptions) (session.State, error) {
	a.env.Jobs.OnJob = func(shell.JobChange) { a.chat.Refresh() }
	if o.noSession {
		return session.State{}, nil
	}
	log, state, err := a.openLog(o, a.sessionOptions())
	if err != nil {
		return state, err
	}
	a.session = log
	a.onClose(log.Close)
	a.env.Jobs.OnJob = func(job shell.JobChange) {
		a.logged(log.Job(session.Job{ID: job.ID, Command: job.Command}, job.Ended))
		a.chat.Refresh()
	}
	a.onClose(func() error { a.env.Jobs.Close(); return nil }) // while their end can be recorded
	a.connection.OnKey(func(key llm.Key) { log.Hide(string(key)) })
	a.restoreSettings(state.Settings, o.settingsOptions)
	if !o.resumes() {
		for key, value := range a.begunWith() {
			a.logged(log.Setting(key, value))
		}
	}
	a.settings.OnSessionChange(func(key, text string) { a.logged(log.Setting(key, text)) })
	return state, nil
}

// sessionOptions are those of a session in the workspace.
func (a *app) sessionOptions() session.Options {
	return session.Options{
		Dir:       a.folders.sessionsDir(),
		Workspace: a.workspace.Root(),
		Now:       a.world.now,
		Random:    rand.Reader,
		PID:       os.Getpid(),
		Branch:    git.Branch(a.workspace.Root()),
	}
}

// restoreTodos puts the recorded todo list on the board, which records every change.
func (a *app) restoreTodos(recorded json.RawMessage) {
	var list todo.List
	if len(recorded) > 0 {
		var err error
		if list, err = todo.Parse(recorded); err != nil {
			a.notices = append(a.notices, "the recorded todo list was left out: "+err.Error())
			list = nil
		}
	}
	a.env.Todos = todo.NewBoard(list, func(changed todo.List) {
		if a.session == nil {
			return
		}
		text, err := rawjson.Marshal(append(todo.List{}, changed...))
		if err == nil {
			err = a.session.Todo(text)
		}
		a.logged(err)
	})
}

// logged notes that the log is out of step with the conversation, which is a defect;
// a disk that takes nothing is no error of it, see chat.Config.Unsaved.
func (a *app) logged(err error) {
	if err != nil {
		a.log.logger.Warn("the session log is behind", "error", err)
	}
}

func (a *app) openLog(o sessionOptions, logOptions session.Options) (*session.Log, session.State, error) {
	if !o.resumes() {
		log, err := session.Create(logOptions)
		if err != nil {
			err = fmt.Errorf("%w; --no-session runs without a record", err)
		}
		return log, session.State{}, err
	}
	info, err := a.chosenSession(o)
	if err != nil {
		return nil, session.State{}, usage(err)
	}
	open, going := session.Resume, "Going on with session "+info.ID
	if o.fork {
		open, going = session.Fork, "Going on in a fork of session "+info.ID
	}
	log, state, err := open(info.Path, logOptions)
	if err != nil {
		return nil, state, err
	}
	a.notices = append(a.notices, going+": "+info.FirstPrompt)
	if root := a.workspace.Root(); state.Workspace != root {
		a.notices = append(a.notices, fmt.Sprintf("It was recorded in %s; from here on it works in %s (-C chooses the folder).", state.Workspace, root))
	}
	a.notices = append(a.notices, firstOf(state.Notices)...)
	for _, job := range state.Jobs {
		a.notices = append(a.notices, fmt.Sprintf("Background job %d was running when the program was killed, and ended with it: %s", job.ID, words.FirstLine(job.Command)))
	}
	return log, state, nil
}

// firstOf are the first of what is wrong with a log, and how much more there is: of a badly
// damaged one nobody reads it all.
func firstOf(notices []string) []string {
	const most = 5
	if len(notices) <= most+1 {
		return notices
	}
	return append(slices.Clone(notices[:most]), fmt.Sprintf("and %d more such lines; what could be read is there", len(notices)-most))
}

// chosenSession is the one named, or the latest of this workspace.
func (a *app) chosenSession(o sessionOptions) (session.Info, error) {
	if o.resume != "" {
		return a.folders.namedSession(o.resume)
	}
	all, err := session.List(a.folders.sessionsDir(), a.workspace.Root())
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("there is no session to continue in %s yet", a.workspace.Root())
	}
	if err != nil {
		return session.Info{}, err
	}
	return session.Latest(all, a.world.now()), nil
}

// conversation is a new one, or the recorded one going on.
func (a *app) conversation(config chat.Config, recorded session.State) (*chat.Chat, error) {
	if len(recorded.Entries) == 0 {
		return chat.New(config), nil
	}
	a.earlier = earlierOf(recorded.Entries, a.registry)
	return chat.Resume(config, restoredFrom(recorded))
}

// restoredFrom is a recorded conversation as the turn loop takes it up. The todo list
// is nil where the recorded one cannot be read.
func restoredFrom(recorded session.State) chat.Restored {
	ledger := make([]chat.PruneRecord, len(recorded.Prunes))
	for i, p := range recorded.Prunes {
		ledger[i] = chat.PruneRecord{Kind: p.Kind, Subject: p.Subject, Tool: p.Tool, Reason: p.Reason, Tokens: p.Tokens, Turn: p.Turn, At: p.At, Recorded: p.Recorded, Cut: p.Cut}
	}
	restored := chat.Restored{Entries: recorded.Entries, Ledger: ledger, Pins: recorded.Pins, Steps: recorded.Steps(), Reply: recorded.Reply, Scales: recorded.Scales, Turn: recorded.Turn}
	if len(recorded.Todos) > 0 {
		restored.Todos, _ = todo.Parse(recorded.Todos)
	}
	return restored
}

// sessionPast is the record of a session as the turn loop reads it.
type sessionPast struct{ *session.Past }

// Before implements chat.Past.
func (p sessionPast) Before(seq uint64) (chat.Restored, error) {
	state, err := p.Past.Before(seq)
	if err != nil {
		return chat.Restored{}, err
	}
	return restoredFrom(state), nil
}

// readPast reads the record of the session that is open.
func (a *app) readPast() (chat.Past, error) {
	past, err := a.session.Past()
	if err != nil {
		return nil, fmt.Errorf("the record of the session cannot be read: %w", err)
	}
	return sessionPast{past}, nil
}
