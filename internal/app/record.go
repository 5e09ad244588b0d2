package app

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"agent/internal/git/layout"
	"agent/internal/pattern"
	"agent/internal/rawjson"
	"agent/internal/session"
	"agent/internal/shell"
	"agent/internal/todo"
	"agent/internal/words"
)

// record opens the session log: a new one, or the one to resume. API keys in use are hidden from
// the log, in case a command prints one. refresh is called after the jobs have changed.
func (c *ground) record(refresh func()) (session.State, error) {
	c.env.Jobs.OnJob = func(shell.JobChange) { refresh() }
	if c.options.Record.Off {
		return session.State{}, nil
	}
	if notice, err := c.folders.settle(); err != nil {
		c.log.Warn("the installation is not noted", "error", err)
	} else if notice != "" {
		c.Notices = append(c.Notices, notice)
	}
	log, state, err := c.openLog(c.sessionOptions())
	if err != nil {
		return state, err
	}
	c.session = log
	c.onClose(log.Close)
	c.env.Jobs.OnJob = func(job shell.JobChange) {
		c.logged(log.Job(session.Job{ID: job.ID, Command: job.Command}, job.Ended))
		refresh()
	}
	c.onClose(func() error { c.env.Jobs.Close(); return nil }) // while their end can be recorded
	c.keys.hideFrom(log)
	c.Connection.OnKey(c.keys.hide)
	c.restoreSettings(state.Settings)
	if !c.options.Record.resumes() {
		for key, value := range c.begunWith() {
			c.logged(log.Setting(key, value))
		}
	}
	c.settings.OnSessionChange(func(key, text string) { c.logged(log.Setting(key, text)) })
	return state, nil
}

// SessionID returns the id of the session, "" if nothing is recorded.
func (c *ground) SessionID() string {
	if c.session == nil {
		return ""
	}
	return c.session.ID()
}

// plainWord matches a word that a shell passes on unchanged and that is not a flag.
var plainWord = pattern.New(`^[\p{L}\p{N}][\p{L}\p{N}_.-]{2,}$`)

// ResumeName returns the shortest name with which agent -r finds this session: a word of the
// title that a person gave, the last letters of its id, or the id. It returns "" if nothing is
// recorded.
func (c *ground) ResumeName() string {
	if c.session == nil {
		return ""
	}
	id := c.session.ID()
	infos, err := session.List(c.folders.Sessions(), "")
	if err != nil {
		return id
	}
	names := strings.Fields(strings.ToLower(c.session.Title()))
	for _, name := range append(names, id[strings.LastIndexByte(id, '-')+1:]) {
		if found, err := session.Named(infos, c.workspace.Root(), name); err == nil && found.ID == id && plainWord.MatchString(name) {
			return name
		}
	}
	return id
}

// transcriptPath returns the path of the file that records the conversation, "" if nothing is
// recorded.
func (c *ground) transcriptPath() string {
	if c.session == nil {
		return ""
	}
	return c.session.Path()
}

// sessionOptions returns the options of a session in the workspace.
func (c *ground) sessionOptions() session.Options {
	return session.Options{
		Dir:       c.folders.Sessions(),
		Workspace: c.workspace.Root(),
		Now:       c.process.Now,
		Random:    rand.Reader,
		PID:       os.Getpid(),
		Branch:    layout.Branch(c.workspace.Root()),

		Unattended: c.options.Unattended,
		Policy:     c.process.underPolicy().ID(),
	}
}

// restoreTodos creates the board with the recorded todo list. The board records every change.
func (c *ground) restoreTodos(recorded json.RawMessage) {
	var list todo.List
	if len(recorded) > 0 {
		var err error
		if list, err = todo.Parse(recorded); err != nil {
			c.Notices = append(c.Notices, "the recorded todo list was left out: "+err.Error())
			list = nil
		}
	}
	c.env.Todos = todo.NewBoard(list, func(changed todo.List) {
		if c.session == nil {
			return
		}
		text, err := rawjson.Marshal(append(todo.List{}, changed...))
		if err == nil {
			err = c.session.Todo(text)
		}
		c.logged(err)
	})
}

// logged warns that the session log failed to record a change, which is a defect. A disk that
// takes no data gives no error here; see session.Log.Unsaved.
func (c *ground) logged(err error) {
	if err != nil {
		c.log.Warn("the session log is behind", "error", err)
	}
}

func (c *ground) openLog(options session.Options) (*session.Log, session.State, error) {
	if c.options.Record.ID != "" {
		if err := c.openNamed(&options); err != nil {
			return nil, session.State{}, err
		}
	}
	if !c.options.Record.resumes() {
		log, err := session.Create(options)
		if err != nil {
			err = fmt.Errorf("%w; --no-session runs without a record", err)
		}
		return log, session.State{}, err
	}
	info, err := c.chosenSession()
	if err != nil {
		return nil, session.State{}, InputError{err}
	}
	open, going := session.Resume, "Going on with session "+info.ID
	if c.options.Record.Fork {
		open, going = session.Fork, "Going on in a fork of session "+info.ID
	}
	log, state, err := open(info.Path, options)
	if err != nil {
		return nil, state, err
	}
	c.Notices = append(c.Notices, going+": "+info.Title)
	if root := c.workspace.Root(); state.Workspace != root {
		c.Notices = append(c.Notices, fmt.Sprintf("It was recorded in %s; from here on it works in %s (-C chooses the folder).", state.Workspace, root))
	}
	c.Notices = append(c.Notices, session.FirstNotices(state.Notices)...)
	for _, job := range state.Jobs {
		c.Notices = append(c.Notices, fmt.Sprintf("Background job %d was running when the program was killed, and ended with it: %s", job.ID, words.FirstLine(job.Command)))
	}
	return log, state, nil
}

// openNamed selects the session with the wanted id to be resumed, if it exists. Otherwise it
// gives the id to the new session.
func (c *ground) openNamed(options *session.Options) error {
	id := c.options.Record.ID
	all, err := session.List(c.folders.Sessions(), "")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(info session.Info) bool { return info.ID == id })
	if i < 0 {
		options.ID = id
		return nil
	}
	root := c.workspace.Root()
	if from := all[i].Workspace; from != root && (layout.CommonDir(from) == "" || layout.CommonDir(from) != layout.CommonDir(root)) {
		return InputError{fmt.Errorf("session %s works in %s, which is another workspace than %s", id, from, root)}
	}
	c.options.Record.Resume = id
	return nil
}

// chosenSession returns the session that was named, or the latest session of this workspace.
func (c *ground) chosenSession() (session.Info, error) {
	if c.options.Record.Resume != "" {
		return c.folders.NamedSession(c.workspace.Root(), c.options.Record.Resume)
	}
	all, err := session.List(c.folders.Sessions(), c.workspace.Root())
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("there is no session to continue in %s yet", c.workspace.Root())
	}
	if err != nil {
		return session.Info{}, err
	}
	return session.Latest(all, c.process.Now()), nil
}
