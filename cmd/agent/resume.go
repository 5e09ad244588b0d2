package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"

	"agent/internal/chat"
	"agent/internal/llm"
	"agent/internal/session"
)

// sessionsDir is where the records of all sessions are.
func (f folders) sessionsDir() string { return filepath.Join(f.data, "sessions") }

// record opens the session log: a new one, or the one to go on with. Keys that come
// into use are kept out of it, should a command print one.
func (a *app) record(o options) (session.State, error) {
	if o.noSession {
		return session.State{}, nil
	}
	logOptions := session.Options{
		Dir:       a.folders.sessionsDir(),
		Workspace: a.workspace.Root(),
		Now:       a.world.now,
		Random:    rand.Reader,
		PID:       os.Getpid(),
	}
	log, state, err := a.openLog(o, logOptions)
	if err != nil {
		return state, err
	}
	a.session = log
	a.onClose(log.Close)
	a.connection.keyUsed(func(key llm.Key) { log.Hide(string(key)) })
	return state, nil
}

func (a *app) openLog(o options, logOptions session.Options) (*session.Log, session.State, error) {
	if !o.continues && o.resume == "" {
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
	log, state, err := session.Resume(info.Path, logOptions)
	if err != nil {
		return nil, state, err
	}
	a.notices = append(a.notices, fmt.Sprintf("Going on with session %s: %s", info.ID, info.FirstPrompt))
	if root := a.workspace.Root(); state.Workspace != root {
		a.notices = append(a.notices, fmt.Sprintf("It was recorded in %s; from here on it works in %s (-C chooses the folder).", state.Workspace, root))
	}
	a.notices = append(a.notices, state.Notices...)
	return log, state, nil
}

// chosenSession is the one named, or the latest of this workspace.
func (a *app) chosenSession(o options) (session.Info, error) {
	if o.resume != "" {
		return session.Find(a.folders.sessionsDir(), "", o.resume)
	}
	all, err := session.List(a.folders.sessionsDir(), a.workspace.Root())
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("there is no session to continue in %s yet", a.workspace.Root())
	}
	if err != nil {
		return session.Info{}, err
	}
	return all[0], nil
}

// restore hands the recorded conversation to the chat.
func (a *app) restore(state session.State) error {
	if len(state.Entries) == 0 {
		return nil
	}
	ledger := make([]chat.PruneRecord, len(state.Prunes))
	for i, p := range state.Prunes {
		ledger[i] = chat.PruneRecord{Kind: p.Kind, Subject: p.Subject, Reason: p.Reason, Tokens: p.Tokens, Turn: p.Turn, At: p.At}
	}
	return a.chat.Restore(state.Entries, ledger)
}
