package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/text/patch"
	"agent/internal/toolspec"
)

type applyPatchArgs struct {
	Input string `json:"input" jsonschema:"the whole patch"`
}

func applyPatch() Tool {
	return define(Tool{
		Name: "apply_patch",
		Description: "Changes files by a patch, all of it or nothing. Between *** Begin Patch and *** End Patch come sections: " +
			"*** Add File: PATH, then its lines with + before each; *** Delete File: PATH; *** Update File: PATH, optionally *** Move to: PATH, then chunks of lines with a blank (context), - or + before each. " +
			"Show three lines of context around a change; if those occur more than once in the file, name the declaration above them after @@. Example:\n" +
			"*** Begin Patch\n*** Update File: a.py\n@@ def f():\n     x = 1\n-    return 2\n+    return 3\n*** End Patch",
		Free: &FreeForm{
			Parameter:   "input",
			Description: "Changes files by a patch, all of it or nothing. Write the patch itself, not JSON.",
			Grammar:     patch.Grammar,
		},
		Traits: Traits{
			Edits:     true,
			Form:      toolspec.EditPatch,
			Density:   toolspec.Density{Patch: []string{"input"}},
			Essential: true,
			Words:     toolspec.SameVerbs("editing", "edited", "edit"),
		},
	}, planPatch)
}

func planPatch(ctx context.Context, env *Env, args applyPatchArgs) (Plan, error) {
	planned, err := env.patchedEdit(ctx, args.Input)
	if err != nil {
		return Plan{}, errors.New(nothingChanged + err.Error())
	}
	return env.planEdit(planned), nil
}

// patchedEdit returns the edit that a patch makes to the present files.
func (e *Env) patchedEdit(ctx context.Context, text string) (editPlan, error) {
	sections, err := patch.Parse(text)
	if err != nil {
		return editPlan{}, err
	}
	r := patchReader{e, map[string]*source{}}
	files, notes, err := patch.Plan(sections, r.read)
	if err != nil {
		var failed *patch.Error
		if errors.As(err, &failed) && failed.Missing != "" {
			if near := e.Workspace.SimilarPaths(ctx, r.sources[failed.Missing].abs); len(near) > 0 {
				return editPlan{}, fmt.Errorf("%w Did you mean %s?", err, strings.Join(near, " or "))
			}
		}
		return editPlan{}, err
	}
	p := editPlan{notes: notes, given: patch.NewLines(text)}
	for _, file := range files {
		s := r.sources[file.Path]
		if file.After != nil {
			from := s
			if file.From != "" {
				from = r.sources[file.From]
			}
			if file.After, err = from.onDisk(file.After); err != nil {
				return editPlan{}, err
			}
			if err := refuseForeign(s, file.After, false); err != nil {
				return editPlan{}, err
			}
		}
		c := s.changeTo(file.After)
		if file.From != "" {
			from := r.sources[file.From]
			c.from, c.mode, c.diff = from.rel, from.mode, from.changeTo(file.After).diff
		}
		p.changes = append(p.changes, c)
	}
	for _, section := range sections {
		if s := r.sources[path.Clean(section.Path)]; section.Op == patch.Add && s != nil {
			if err := e.mustKnow(s); err != nil {
				return editPlan{}, err
			}
		}
	}
	done := p.filesLine(true)
	p.done = strings.ToUpper(done[:1]) + done[1:]
	return p, nil
}

// A patchReader reads the files that a patch names.
type patchReader struct {
	env     *Env
	sources map[string]*source
}

// read returns the content of a file, nil if the file does not exist.
func (r patchReader) read(name string) ([]byte, error) {
	abs, err := r.env.editable(name)
	if err != nil {
		return nil, patch.Errorf(patch.BadFile, "%s", err)
	}
	for other, s := range r.sources {
		if s.abs == abs {
			return nil, patch.Errorf(patch.BadFile, "%s and %s are the same file. Use one name.", other, name)
		}
	}
	switch info, err := r.env.Workspace.Lstat(abs); {
	case errors.Is(err, fs.ErrNotExist):
		r.sources[name] = &source{abs: abs, rel: r.env.Workspace.Rel(abs)}
		return nil, nil
	case err != nil:
		return nil, patch.Errorf(patch.BadFile, "can't use %s: a parent folder is a file or can't be read: %v.", name, fsutil.Reason(err))
	case info.IsDir():
		return nil, patch.Errorf(patch.BadFile, "%s is a folder.", name)
	}
	s, err := r.env.openToEdit(name)
	if err != nil {
		return nil, err
	}
	r.sources[name] = s
	if s.cells != nil {
		return []byte(s.cells.Text()), nil
	}
	return s.whole, nil
}
