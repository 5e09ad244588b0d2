package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"agent/internal/disk"
	"agent/internal/outline"
	"agent/internal/text/patch"
	"agent/internal/text/textdiff"
	"agent/internal/text/textfile"
	"agent/internal/traits"
	"agent/internal/words"
)

type applyPatchArgs struct {
	Input string `json:"input" jsonschema:"the whole patch"`
}

func applyPatch() Tool {
	return define(Tool{
		Name: "apply_patch",
		Description: "Changes files by a patch, all of it or nothing. Between *** Begin Patch and *** End Patch come sections: " +
			"*** Add File: PATH, then its lines with + before each; *** Delete File: PATH; *** Update File: PATH, perhaps *** Move to: PATH, then chunks of lines with a blank (context), - or + before each. " +
			"Show three lines of context around a change; where those are more than once in the file, name the declaration above them behind @@. Example:\n" +
			"*** Begin Patch\n*** Update File: a.py\n@@ def f():\n     x = 1\n-    return 2\n+    return 3\n*** End Patch",
		Free: &FreeForm{
			Parameter:   "input",
			Description: "Changes files by a patch, all of it or nothing. Write the patch itself, not JSON.",
			Grammar:     patch.Grammar,
		},
		Traits: Traits{
			Edits:     true,
			Form:      traits.Patch,
			Density:   traits.Density{Patch: []string{"input"}},
			Essential: true,
			Words:     traits.Say("editing", "edited", "edit"),
		},
	}, planPatch)
}

// nothingChanged is what the answer to a patch that is not applied begins with.
const nothingChanged = "Nothing was changed. "

// patched is a patch that was planned and not applied.
type patched struct {
	files []patchedFile
	notes []string
}

// patchedFile is a file that a patch changes; after is nil for one that is deleted.
type patchedFile struct {
	change
	// from is the path that the file had before the patch moved it, empty for none.
	from string
	diff textdiff.Diff
}

func planPatch(ctx context.Context, env *Env, args applyPatchArgs) (Plan, error) {
	p, err := env.planPatch(ctx, args.Input)
	if err != nil {
		return Plan{}, errors.New(nothingChanged + err.Error())
	}
	preview := env.watched(Preview{Title: p.title()})
	for _, file := range p.files {
		preview.Paths = append(preview.Paths, file.rel)
		preview.Diff += file.unified()
		preview.Protected = append(preview.Protected, env.protectedEdit(file.change)...)
	}
	return Plan{Preview: preview, Apply: func(context.Context) Answer { return env.applyPatch(p) }}, nil
}

// planPatch works out what a patch does to files as they are.
func (e *Env) planPatch(ctx context.Context, text string) (patched, error) {
	sections, err := patch.Parse(text)
	if err != nil {
		return patched{}, err
	}
	r := &patchReader{env: e, ctx: ctx, sources: map[string]*source{}, paths: map[string]string{}}
	files, notes, err := patch.Plan(sections, r.read)
	if err != nil {
		return patched{}, r.explained(err)
	}
	p := patched{notes: notes}
	for _, file := range files {
		s := r.sources[file.Path]
		if s.whole != nil && file.After != nil {
			if err := refuseForeign(s, file.After, false); err != nil {
				return patched{}, err
			}
		}
		c := change{abs: s.abs, rel: s.rel, before: file.Before, after: file.After, links: s.links, mode: s.mode}
		if file.From != "" {
			c.mode = r.sources[file.From].mode
		}
		before := file.Before
		if file.From != "" {
			before = r.sources[file.From].whole
		}
		p.files = append(p.files, patchedFile{c, file.From, textdiff.New(textfile.Parse(before).Text, textfile.Parse(file.After).Text)})
	}
	for _, section := range sections {
		if s := r.sources[path.Clean(section.Path)]; section.Op == patch.Add && s != nil && len(s.whole) > 0 {
			if err := e.mustKnow(s); err != nil {
				return patched{}, err
			}
		}
	}
	return p, nil
}

// title says in a line what a person is asked to approve.
func (p patched) title() string { return p.said("edit", "create", "delete", "move", "; ") }

// done says in a line what was done.
func (p patched) done() string {
	said := p.said("updated", "added", "deleted", "moved", "; ")
	return strings.ToUpper(said[:1]) + said[1:] + "."
}

// said lists the files by what is done to them.
func (p patched) said(edit, create, remove, move, between string) string {
	var edited, created, deleted, moved []string
	gone := map[string]bool{}
	for _, file := range p.files {
		switch name := words.Name(file.rel) + file.besides(); {
		case file.from != "":
			moved = append(moved, words.Name(file.from)+" to "+name)
			gone[file.from] = true
		case file.before == nil:
			created = append(created, name)
		case file.after != nil:
			edited = append(edited, name)
		}
	}
	for _, file := range p.files {
		if file.after == nil && !gone[file.rel] {
			deleted = append(deleted, words.Name(file.rel))
		}
	}
	var parts []string
	for _, part := range []struct {
		verb  string
		files []string
	}{{edit, edited}, {create, created}, {remove, deleted}, {move, moved}} {
		if len(part.files) > 0 {
			parts = append(parts, part.verb+" "+strings.Join(part.files, ", "))
		}
	}
	return strings.Join(parts, between)
}

// unified is the diff of the file, with what a move does not change left out.
func (f patchedFile) unified() string {
	from, to := f.rel, f.rel
	switch {
	case f.from != "":
		from = f.from
	case f.before == nil:
		from = "/dev/null"
	case f.after == nil:
		to = "/dev/null"
	}
	return f.diff.Unified(from, to)
}

// report is what the model reads: what was done, the changed lines of each file as they are
// now, and what was not taken literally.
func (p patched) report(limits Limits) string {
	out := p.done()
	room := limits.room(headingBytes+len(out)) / max(len(p.files), 1)
	for _, file := range p.files {
		if file.after == nil || file.before == nil && file.from == "" {
			continue
		}
		if regions := file.diff.Regions(); regions != "" {
			out += fmt.Sprintf("\n%s, the changed lines now, as NUMBER|TEXT:\n%s", words.Name(file.rel), strings.TrimSuffix(shorten(regions, room), "\n"))
		}
	}
	for _, note := range p.notes {
		out += "\n[" + note + "]"
	}
	for _, file := range p.files {
		if problem := outline.SyntaxError(file.rel, file.after); file.after != nil && problem != nil {
			out += fmt.Sprintf("\n[Note: %s does not parse now: %s]", words.Name(file.rel), problem)
		}
	}
	return out
}

// patchReader reads the files that a patch names.
type patchReader struct {
	env     *Env
	ctx     context.Context
	sources map[string]*source
	// paths are the names that the patch has for files, by where they are.
	paths map[string]string
}

// read returns the content of a file, nil where there is none.
func (r *patchReader) read(name string) ([]byte, error) {
	abs, err := r.env.editable(name)
	if err != nil {
		return nil, patch.Failed(patch.BadFile, "%s", err)
	}
	if other, ok := r.paths[abs]; ok {
		return nil, patch.Failed(patch.BadFile, "%s and %s are one file; name it in one way.", other, name)
	}
	r.paths[abs] = name
	rel := r.env.Workspace.Rel(abs)
	switch info, err := r.env.Workspace.Lstat(abs); {
	case errors.Is(err, fs.ErrNotExist):
		r.sources[name] = &source{abs: abs, rel: rel}
		return nil, nil
	case err != nil:
		return nil, patch.Failed(patch.BadFile, "%s lies below what is no folder, or cannot be reached: %v.", name, disk.Reason(err))
	case info.IsDir():
		return nil, patch.Failed(patch.BadFile, "%s is a folder.", name)
	}
	s, err := r.env.openToEdit(name)
	if err != nil {
		return nil, err
	}
	if s.whole == nil {
		s.whole = []byte{}
	}
	r.sources[name] = s
	return s.whole, nil
}

// explained adds to the error about a missing file what may have been meant.
func (r *patchReader) explained(err error) error {
	var failed *patch.Error
	if !errors.As(err, &failed) || failed.Class != patch.BadFile {
		return err
	}
	for name, s := range r.sources {
		if s.whole == nil && strings.HasPrefix(failed.Reason, name+" does not exist") {
			if near := r.env.Workspace.Nearest(r.ctx, s.abs); len(near) > 0 {
				return fmt.Errorf("%w Did you mean %s?", err, strings.Join(near, " or "))
			}
		}
	}
	return err
}
