package app

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/base/rawjson"
	"agent/internal/base/secret"
	"agent/internal/extend/mcp/bridge"
	"agent/internal/gitfiles/layout"
	"agent/internal/history"
	"agent/internal/rules"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/todo"
)

// unrecorded is the prefix of the ids of conversations that are not recorded. Files kept under
// such an id are removed when the program ends.
const unrecorded = "unrecorded-"

// A record stores a conversation on disk. Without a log it stores nothing.
type record struct {
	// log is the session log, nil if nothing is recorded.
	log *session.Log
	// id identifies the session, or only the conversation if nothing is recorded.
	id string
	// resumed is the state of the resumed session. how describes which session was chosen.
	resumed session.State
	how     Record
	// keys hides the API keys in use from the log. acts records actions of the program that are not calls
	// of the model.
	keys keyHider
	acts acts
	// asking counts the open approval prompts. Only the goroutine that runs the conversation uses it.
	asking int
	// endpoint is the recorded address of the endpoint, nil after the user has chosen another one.
	endpoint atomic.Pointer[string]

	at     *place
	logger *slog.Logger
}

// openRecord opens the session log: a new log, or the log of the session to resume. The settings of a
// resumed session apply from now on. A new log is written with its first entry. It returns notices for the
// user.
func openRecord(at *place, ends *closers) (r *record, notices []string, err error) {
	r = &record{at: at, how: at.options.Record, logger: at.log}
	if !r.how.Off {
		if notices, err = r.open(); err != nil {
			return nil, notices, err
		}
		ends.add(r.log.Close)
		ends.add(func() error { at.jobs.Close(); return nil }) // Close must run while the log can still record the end of jobs
		r.keys.hideFrom(r.log)
		notices = append(notices, restorer{at.settings, at.profiles, at.options.KeepEndpoint}.restore(r.resumed.Settings)...)
		if !r.how.resumes() {
			for key, value := range begunWith(at.settings) {
				r.logged(r.log.RecordSetting(key, value))
			}
		}
		registry := at.settings.Registry()
		at.settings.OnSessionChange(func(key, text string) {
			r.logged(r.log.RecordSetting(key, shownText(registry, key, text)))
			if key == settings.Provider.Key() || key == settings.ProfileChange {
				r.endpoint.Store(nil)
				r.logged(r.log.RecordSetting(endpointUsed, ""))
			}
		})
	}
	if r.id = r.SessionID(); r.id == "" {
		r.id = unrecorded + strings.ToLower(rand.Text()[:8])
	}
	r.logger = at.log.With("conversation", r.id)
	r.acts.write = func(act session.Action) { r.write(func(log *session.Log) error { return log.RecordAction(act) }) }
	forget := at.process.followers.add(&r.acts)
	ends.add(func() error { r.acts.end(); forget(); return nil })
	return r, notices, nil
}

// write records a change, unless nothing is recorded.
func (r *record) write(change func(*session.Log) error) {
	if r.log != nil {
		r.logged(change(r.log))
	}
}

// logged warns that the session log did not record a change, which is a defect. A failed write to disk
// causes no error here; see session.Log.CheckSaved.
func (r *record) logged(err error) {
	if err != nil {
		r.logger.Warn("the session log is incomplete", "error", err)
	}
}

// writeJSON encodes a value as JSON and records it, unless nothing is recorded.
func (r *record) writeJSON(value any, change func(log *session.Log, text json.RawMessage) error) {
	r.write(func(log *session.Log) error {
		text, err := rawjson.Marshal(value)
		if err != nil {
			return err
		}
		return change(log, text)
	})
}

// SessionID returns the id of the session, "" if nothing is recorded.
func (r *record) SessionID() string {
	if r.log == nil {
		return ""
	}
	return r.log.ID()
}

// discardFork deletes a fork whose conversation could not be opened. r may be nil.
func (r *record) discardFork() {
	if r != nil && r.how.Fork {
		_ = r.at.folders.DeleteSession(session.Info{ID: r.id, Path: r.path()}) // otherwise the user deletes it
	}
}

// path returns the path of the file that records the conversation, "" if nothing is recorded.
func (r *record) path() string {
	if r.log == nil {
		return ""
	}
	return r.log.Path()
}

// title returns the title that a user gave the session, "" for none.
func (r *record) title() string {
	if r.log == nil {
		return ""
	}
	return r.log.Title()
}

// observer returns the observer of the history, nil if nothing is recorded.
func (r *record) observer() history.Observer {
	if r.log == nil {
		return nil
	}
	return r.log.Observe
}

// origin names the current position in the record, or "" without a record.
func (r *record) origin() string {
	if r.log == nil {
		return ""
	}
	return fmt.Sprintf("%s#%d", r.log.ID(), r.log.Seq())
}

func (r *record) notice(text string) {
	r.write(func(log *session.Log) error { return log.RecordNotice(text) })
}

func (r *record) note(change session.Note) {
	r.write(func(log *session.Log) error { return log.RecordNote(change) })
}

func (r *record) grants(grants []rules.Permission) {
	r.writeJSON(append([]rules.Permission{}, grants...), (*session.Log).RecordGrants)
}

func (r *record) servers(offered []bridge.OfferedTool) {
	r.writeJSON(offered, (*session.Log).RecordServers)
}

// todos returns the todo board with the recorded list. If the list is damaged, notice is not empty. The
// board records every change.
func (r *record) todos() (board *todo.Board, notice string) {
	var list todo.List
	if len(r.resumed.Todos) > 0 {
		var err error
		if list, err = todo.Parse(r.resumed.Todos); err != nil {
			list, notice = nil, "Can't restore the recorded todo list: "+err.Error()
		}
	}
	return todo.NewBoard(list, func(changed todo.List) {
		r.writeJSON(append(todo.List{}, changed...), (*session.Log).RecordTodos)
	}), notice
}

// plainWord matches a word that is not a flag and that a shell does not change.
var plainWord = lazyregexp.New(`^[\p{L}\p{N}][\p{L}\p{N}_.-]{2,}$`)

// resumeName returns the shortest name with which agent -r finds this session. It is a word of the user's
// title, the last letters of the id, or the id. It is "" if nothing is recorded.
func (r *record) resumeName() string {
	if r.log == nil {
		return ""
	}
	id := r.log.ID()
	infos, err := session.List(r.at.folders.Sessions(), "")
	if err != nil {
		return id
	}
	names := strings.Fields(strings.ToLower(r.log.Title()))
	for _, name := range append(names, id[strings.LastIndexByte(id, '-')+1:]) {
		if found, err := session.FindByName(infos, r.at.workspace.Root(), name); err == nil && found.ID == id && plainWord.MatchString(name) {
			return name
		}
	}
	return id
}

func (at *place) sessionOptions() session.Options {
	return session.Options{
		Dir:       at.folders.Sessions(),
		Workspace: at.workspace.Root(),
		Now:       at.process.Now,
		Random:    rand.Reader,
		PID:       os.Getpid(),
		Branch:    layout.Branch(at.workspace.Root()),
		Hidden:    secret.FromEnvironment(at.process.Environ),

		Unattended: at.options.Unattended,
		Policy:     at.process.underPolicy().ID(),
	}
}

func (r *record) open() (notices []string, err error) {
	options := r.at.sessionOptions()
	if r.how.ID != "" {
		if err := r.openNamed(&options); err != nil {
			return nil, err
		}
	}
	if !r.how.resumes() {
		if r.log, err = session.Create(options); err != nil {
			err = fmt.Errorf("%w. To run without a session log, add --no-session", err)
		}
		return nil, err
	}
	info, err := r.chosen()
	if err != nil {
		return nil, InputError{err}
	}
	open, going := session.Resume, "Resumed session "+info.ID
	if r.how.Fork {
		open, going = session.Fork, "Resumed in a fork of session "+info.ID
	}
	if r.log, r.resumed, err = open(info.Path, options); err != nil {
		return nil, err
	}
	notices = append(notices, going+": "+info.Title)
	if r.how.Fork {
		if err := r.log.Rename(forkTitle(info.Title)); err != nil {
			return nil, err
		}
	}
	if root := r.at.workspace.Root(); r.resumed.Workspace != root {
		notices = append(notices, fmt.Sprintf("The session was recorded in %s and now works in %s. To choose a folder, add -C FOLDER.", r.resumed.Workspace, root))
	}
	notices = append(notices, session.FirstNotices(r.resumed.Notices)...)
	for _, job := range r.resumed.Jobs {
		notices = append(notices, fmt.Sprintf("Background job %d ended when agent was killed: %s", job.ID, humanize.FirstLine(job.Command)))
	}
	return notices, nil
}

// openNamed selects the session with the wanted id to be resumed, if it exists. Otherwise the new session
// gets this id.
func (r *record) openNamed(options *session.Options) error {
	all, err := session.List(r.at.folders.Sessions(), "")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(info session.Info) bool { return info.ID == r.how.ID })
	if i < 0 {
		options.ID = r.how.ID
		return nil
	}
	root := r.at.workspace.Root()
	if from := all[i].Workspace; from != root && (layout.CommonDir(from) == "" || layout.CommonDir(from) != layout.CommonDir(root)) {
		return InputError{fmt.Errorf("session %s belongs to the workspace %s, not to %s", r.how.ID, from, root)}
	}
	r.how.Resume = r.how.ID
	return nil
}

// chosen returns the session that the options name, or the latest session of this workspace.
func (r *record) chosen() (session.Info, error) {
	root := r.at.workspace.Root()
	if r.how.Resume != "" {
		return r.at.folders.NamedSession(root, r.how.Resume)
	}
	all, err := session.List(r.at.folders.Sessions(), root)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("can't resume: no sessions are recorded for %s", root)
	}
	if err != nil {
		return session.Info{}, err
	}
	return session.Latest(all, r.at.process.Now()), nil
}

// forkTitle returns the title of a fork, which distinguishes it from the original session.
func forkTitle(title string) string { return strings.TrimSpace(title + " (fork)") }
