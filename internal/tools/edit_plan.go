package tools

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/cmdline"
	"agent/internal/outline"
	"agent/internal/protect"
	"agent/internal/text/textdiff"
	"agent/internal/toolspec"
)

// An edit is a planned change of files that has not been made.
type editPlan struct {
	changes []change
	// done describes the edit on one line. notes list the differences between the edit and the
	// literal call.
	done  string
	notes []string
	// given holds the lines that the call itself contains. The answer does not repeat them.
	given string
	// show is set if the answer shows the changed lines because their indentation differs from the
	// call's. spread is set if the edit changed more locations than the call names. The answer then
	// lists the locations, and shows the first and the last.
	show, spread bool
}

// A change is the part of an edit that concerns one file.
type change struct {
	abs, rel string
	// from is the old path of a moved file, empty if the file is not moved.
	from string
	// before is the content when the edit was planned, nil if there was no file. after is the new
	// content, nil if the file is deleted.
	before, after []byte
	// links is the number of hard links of the file. An edit makes a new file under the given name,
	// so the other names keep the old content.
	links uint64
	// mode holds the permissions of the file that is replaced or moved.
	mode fs.FileMode
	diff textdiff.Diff
}

// changeTo returns the change that gives an opened file a new content.
func (s *source) changeTo(after []byte) change {
	c := change{abs: s.abs, rel: s.rel, before: s.whole, after: after, links: s.links, mode: s.mode}
	c.diff = textdiff.New(document(s.abs, c.before).Text, document(s.abs, after).Text)
	return c
}

// defineEdit completes a tool that edits one file. plan writes nothing. If its error shows the
// model the changes in the file, the file counts as seen.
func defineEdit[A any](t Tool, plan func(env *Env, args A) (editPlan, error)) Tool {
	t.Edits, t.Form, t.File, t.Key = true, toolspec.EditReplace, toolspec.FileNames, "file_path"
	return define(t, func(_ context.Context, env *Env, args A) (Plan, error) {
		planned, err := plan(env, args)
		if err != nil {
			return Plan{}, err
		}
		return env.planEdit(planned), nil
	})
}

// planEdit returns the plan of an edit, which applies exactly this edit.
func (e *Env) planEdit(planned editPlan) Plan {
	preview := e.warnUnwatched(Preview{Title: planned.filesLine(false)})
	for _, c := range planned.changes {
		preview.Paths = append(preview.Paths, c.rel)
		preview.Diff += c.unified()
		if found := e.Protected.EditProtection(c.abs, c.rel); found.Protection != protect.Unprotected {
			preview.Protected = append(preview.Protected, found)
		}
	}
	return Plan{Preview: preview, Apply: func(context.Context) Answer { return e.apply(planned) }}
}

// filesLine lists the files of the edit on one line, grouped by kind of change, in the past tense if
// done is set.
func (p editPlan) filesLine(done bool) string {
	// The kinds of changes, in the order in which an answer lists them.
	const (
		edited = iota
		lineEnds
		created
		deleted
		moved
	)
	kinds := [...][2]string{
		edited: {"edit", "updated"}, lineEnds: {"change the line ends of", "changed the line ends of"},
		created: {"create", "added"}, deleted: {"delete", "deleted"}, moved: {"move", "moved"},
	}
	gone := map[string]bool{}
	for _, c := range p.changes {
		gone[c.from] = true
	}
	var files [len(kinds)][]string
	for _, c := range p.changes {
		kind, name := edited, humanize.FileName(c.rel)
		switch {
		case c.after == nil && gone[c.rel]:
			continue
		case c.after == nil:
			files[deleted] = append(files[deleted], name)
			continue
		case c.from != "":
			kind, name = moved, humanize.FileName(c.from)+" to "+name
		case c.before == nil:
			kind = created
		case len(c.diff) == 0:
			kind = lineEnds
		}
		files[kind] = append(files[kind], name+c.hiddenEffects())
	}
	var parts []string
	for kind, verbs := range kinds {
		verb := verbs[0]
		if done {
			verb = verbs[1]
		}
		if len(files[kind]) > 0 {
			parts = append(parts, verb+" "+strings.Join(files[kind], ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// hiddenEffects names the effects of an edit that its diff does not show. The edit separates a
// hard-linked file from its other names, and overrides write protection.
func (c change) hiddenEffects() string {
	var besides []string
	if c.links > 1 {
		besides = append(besides, fmt.Sprintf("the old text remains in %s to it", humanize.Count(int(c.links-1), "hard link")))
	}
	const writable fs.FileMode = 0o222
	if c.before != nil && c.mode&writable == 0 {
		besides = append(besides, fmt.Sprintf("overrides write protection; the mode stays %04o", c.mode.Perm()))
	}
	if len(besides) == 0 {
		return ""
	}
	return " (" + strings.Join(besides, "; ") + ")"
}

// errNoChange is the error for an edit that would leave the file unchanged. It is an error so that
// the call does not count as a write.
var errNoChange = errors.New("nothing to change: the file already has this content")

// editTo returns the edit that gives an opened file a new content, or an error if the edit changes
// nothing. given holds the lines of the file that the call quotes or writes.
func editTo(s *source, after []byte, given, done string) (editPlan, error) {
	if bytes.Equal(s.whole, after) {
		return editPlan{}, fmt.Errorf("%s: %w", s.rel, errNoChange)
	}
	if err := refuseForeign(s, after, false); err != nil {
		return editPlan{}, err
	}
	c := s.changeTo(after)
	return editPlan{changes: []change{c}, done: done + c.hiddenEffects(), given: given}, nil
}

// plannedText is like editTo, with the edited text of the document instead of the content.
func plannedText(s *source, edited []byte, given, done string) (editPlan, error) {
	after, err := s.onDisk(edited)
	if err != nil {
		return editPlan{}, err
	}
	return editTo(s, after, given, done)
}

// openToEdit opens a file for an edit tool. It returns a *ChangedError if the file has changed
// since the model last saw it.
func (e *Env) openToEdit(path string) (*source, error) {
	abs, err := e.editable(path)
	if err != nil {
		return nil, err
	}
	if !e.mayRead(abs) && !e.Seen.IsKnown(abs) { // the error of a failed edit quotes the file
		rel := e.Workspace.Rel(abs)
		return nil, fmt.Errorf("%s: %s, and you have not read it; read it first (read_file), which requires approval", rel, e.Protected.Read(abs, rel).Why)
	}
	// No context is needed, because only the search for names similar to a missing file is slow.
	s, err := e.openResolved(context.Background(), abs)
	if err != nil {
		return nil, err
	}
	s.Close()
	e.Seen.MarkSeen(s.abs)
	if s.whole == nil {
		return nil, fmt.Errorf("%s is too large to edit (%s, the limit is %s); use the shell", s.rel, humanize.Bytes(s.size), humanize.Bytes(maxWholeBytes))
	}
	if seen, changed := e.Seen.changed(s.abs, s.whole); changed {
		return nil, e.refuseChanged(s, seen)
	}
	return s, nil
}

// openKnown opens a file like openToEdit, for an edit whose arguments do not prove that the model
// has read the file. It refuses a file that the model never saw.
func (e *Env) openKnown(path string) (*source, error) {
	s, err := e.openToEdit(path)
	if err != nil {
		return nil, err
	}
	return s, e.mustKnow(s)
}

// mustKnow refuses to edit a file that the model never saw, unless it is empty.
func (e *Env) mustKnow(s *source) error {
	if len(s.whole) == 0 || e.Seen.IsKnown(s.abs) {
		return nil
	}
	return fmt.Errorf("%s exists and you have not read it; read it first (read_file), then repeat the edit", s.rel)
}

// editable resolves the path of a file to edit. It refuses git's own files, because their hooks and
// settings run programs. The permission to edit does not cover that.
func (e *Env) editable(path string) (string, error) {
	if strings.HasSuffix(path, "/") {
		return "", fmt.Errorf("%s is a folder; add a file name", path)
	}
	abs, err := e.Workspace.Resolve(path)
	if err != nil {
		return "", err
	}
	if rel := e.Workspace.Rel(abs); protect.InGit(rel) || cmdline.InBareRepository(filepath.Dir(abs)) {
		return "", fmt.Errorf("can't edit %s: it belongs to git. Use git in the shell", rel)
	}
	return abs, nil
}

// unified returns the diff of the file, without the lines that a move leaves unchanged. It quotes
// a name with line breaks, which would look like lines of the diff.
func (c change) unified() string {
	from, to := cmp.Or(c.from, c.rel), c.rel
	switch {
	case c.before == nil && c.from == "":
		from = "/dev/null"
	case c.after == nil:
		to = "/dev/null"
	}
	return c.diff.Unified(humanize.FileName(from), humanize.FileName(to))
}

// report returns the text of an edit for the model: a description, the changed lines of each file
// as they are now, and the notes. For lines that are exactly as in the call, it contains only their
// location. It repeats neither a new file nor the middle of many new lines.
func (p editPlan) report(limits Limits) string {
	out, several := p.done, len(p.changes) > 1
	if several {
		out += "."
	}
	room := limits.room(headingBytes+len(out)) / len(p.changes)
	for _, c := range p.changes {
		if c.after == nil || c.before == nil && c.from == "" {
			continue
		}
		heading := ". The"
		if several {
			heading = "\n" + humanize.FileName(c.rel) + ", the"
		}
		switch {
		case p.spread && len(c.diff) > 0:
			out += ": " + c.diff.DescribePlaces() + ". The first and the last changed place now, as NUMBER|TEXT:\n" + strings.TrimSuffix(shorten(c.diff.Ends().Regions(p.given), room), "\n")
		case !p.show && c.diff.IsAsGiven(p.given):
			if several {
				out += "\n" + humanize.FileName(c.rel)
			}
			out += ": " + c.diff.DescribePlaces()
		case len(c.diff) > 0:
			out += heading + " changed lines now, as NUMBER|TEXT:\n" + strings.TrimSuffix(shorten(c.diff.Regions(p.given), room), "\n")
		case !several:
			out += ". Only its line ends changed"
		}
	}
	for _, note := range p.notes {
		out += "\n[" + note + "]"
	}
	return out
}

// SyntaxNote returns a note about a file that is not valid source of its language, "" for any
// other file.
func (e *Env) SyntaxNote(abs string) string {
	s, err := e.openResolved(context.Background(), abs)
	if err != nil {
		return ""
	}
	s.Close()
	problem := outline.SyntaxError(s.rel, s.whole)
	if s.whole == nil || problem == nil {
		return ""
	}
	return fmt.Sprintf("Note: %s now has a syntax error: %s", humanize.FileName(s.rel), problem)
}

// EditedFiles returns the files that a call of an edit tool names, as absolute paths. It omits
// files that cannot be edited.
func (e *Env) EditedFiles(t Traits, call toolspec.Arguments) []string {
	if !t.WritesFile() {
		return nil
	}
	var files []string
	for _, path := range t.FilesOf(call) {
		if abs, err := e.Workspace.Resolve(path); err == nil {
			files = append(files, abs)
		}
	}
	return files
}
