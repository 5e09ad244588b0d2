package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"agent/internal/cmdline"
	"agent/internal/protect"
	"agent/internal/snapshot"
	"agent/internal/text/textdiff"
	"agent/internal/text/textfile"
	"agent/internal/traits"
	"agent/internal/words"
)

// change is an edit of one file, planned but not made.
type change struct {
	abs, rel string
	// before is the file as it was when the edit was planned, nil when there was
	// none; after is what it will hold.
	before, after []byte
	// links is how many names the file has. An edit makes a new file under the name it
	// was given, so the other names keep what the file held before.
	links uint64
	// mode are the permissions of the file that is replaced.
	mode fs.FileMode
	// done says what the edit did, in a line.
	done string
}

// defineEdit completes a tool that edits one file. plan writes nothing; an error of
// it may show the model what changed in the file, and counts as seen. What is
// applied is the change that was planned.
func defineEdit[A any](t Tool, plan func(env *Env, args A) (change, error)) Tool {
	t.Edits, t.Form, t.File, t.Key = true, traits.Replace, traits.FileNames, "file_path"
	return define(t, func(_ context.Context, env *Env, args A) (Plan, error) {
		c, err := plan(env, args)
		if err != nil {
			return Plan{}, err
		}
		d := c.diff()
		return Plan{
			Preview: env.watched(Preview{Title: c.title(d), Diff: d.Unified(c.names()), Paths: []string{c.rel}, Protected: env.protectedEdit(c)}),
			Apply:   func(context.Context) Answer { return env.apply(c, d) },
		}, nil
	})
}

// title says in a line what a person is asked to approve.
func (c change) title(d textdiff.Diff) string {
	switch {
	case c.before == nil:
		return "create " + c.rel
	case len(d) == 0:
		return "change the line ends of " + c.rel + c.besides()
	}
	return "edit " + c.rel + c.besides()
}

// besides says what an edit does that is not seen in the text: it parts a hard-linked file
// from its other names, and passes over a protection against writing.
func (c change) besides() string {
	var besides []string
	if c.links > 1 {
		besides = append(besides, fmt.Sprintf("parts it from %s that keep the old text", words.Count(int(c.links-1), "hard link")))
	}
	const writable fs.FileMode = 0o222
	if c.before != nil && c.mode&writable == 0 {
		besides = append(besides, fmt.Sprintf("its mode %04o forbids writing, and stays so", c.mode.Perm()))
	}
	if len(besides) == 0 {
		return ""
	}
	return " (" + strings.Join(besides, "; ") + ")"
}

// errNoChange is the answer to an edit that would leave the file as it is. It is
// an error so that nothing takes the call for a write.
var errNoChange = errors.New("nothing to change: the file already is what the edit would make of it")

// planned returns the change of a file from what open gave, refusing one that
// changes nothing.
func planned(s *source, after []byte, done string) (change, error) {
	if bytes.Equal(s.whole, after) {
		return change{}, fmt.Errorf("%s: %w", s.rel, errNoChange)
	}
	if err := refuseForeign(s, after, false); err != nil {
		return change{}, err
	}
	return change{abs: s.abs, rel: s.rel, before: s.whole, after: after, links: s.links, mode: s.mode, done: done}, nil
}

// openToEdit opens a file for an edit tool. A file that holds something else than
// what the model last saw of it gives a *ChangedError.
func (e *Env) openToEdit(path string) (*source, error) {
	abs, err := e.editable(path)
	if err != nil {
		return nil, err
	}
	if !e.mayRead(abs) && !e.Seen.Known(abs) { // what is wrong with an edit is said with what the file holds
		return nil, fmt.Errorf("%s may hold keys and you have not read it; read it first (read_file), which the user is asked about", e.Workspace.Rel(abs))
	}
	// Only looking for the like of a missing file could be worth interrupting.
	s, err := e.openResolved(context.Background(), abs)
	if err != nil {
		return nil, err
	}
	s.Close()
	if s.whole == nil {
		return nil, fmt.Errorf("%s is too large to edit (%s, the limit is %s); use the shell", s.rel, words.Bytes(s.size), words.Bytes(maxWholeBytes))
	}
	if seen, changed := e.Seen.changed(s.abs, s.whole); changed {
		return nil, e.refuseChanged(s, seen)
	}
	return s, nil
}

// editable resolves the path of a file to edit. Git's own files are refused: a hook
// or a setting there runs programs, which the permission to edit does not cover.
func (e *Env) editable(path string) (string, error) {
	if strings.HasSuffix(path, "/") {
		return "", fmt.Errorf("%s names a folder; add the name of the file (folders are made with it)", path)
	}
	abs, err := e.Workspace.Resolve(path)
	if err != nil {
		return "", err
	}
	if rel := e.Workspace.Rel(abs); protect.InGit(rel) || cmdline.InBareRepository(filepath.Dir(abs)) {
		return "", fmt.Errorf("%s belongs to git and is not edited as a file; use git in the shell", rel)
	}
	return abs, nil
}

// apply makes a change and answers with the lines around it. A file that is not any
// more what the change was worked out for is left alone.
func (e *Env) apply(c change, d textdiff.Diff) Answer {
	kept, notDone := e.Snapshots.Edit(snapshot.Edited{Abs: c.abs, Before: c.before, After: c.after})
	if err := e.Workspace.Replace(c.abs, c.before, c.after); err != nil {
		notDone()
		return failed(err)
	}
	e.Seen.Record(c.abs, c.after)
	return Answer{Text: c.report(d, e.Limits), Diff: d.Unified(c.names()), Shown: &Shown{Path: c.abs, Content: c.after}, Change: kept}
}

func (c change) diff() textdiff.Diff {
	return textdiff.New(textfile.Parse(c.before).Text, textfile.Parse(c.after).Text)
}

// names are the file names of the unified diff.
func (c change) names() (from, to string) {
	if c.before == nil {
		return "/dev/null", c.rel
	}
	return c.rel, c.rel
}
