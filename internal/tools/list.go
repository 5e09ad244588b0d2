package tools

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/toolspec"
	"agent/internal/workspace"
)

type listArgs struct {
	Path   string `json:"path,omitempty" jsonschema:"the folder to list; default the workspace"`
	Offset int    `json:"offset,omitempty" jsonschema:"the first entry to show; default 1"`
}

func listDirectory() Tool {
	return defineRead(Tool{
		Name:        "list_directory",
		Description: "Lists a folder: folders first, then files with their sizes. Marks what git ignores.",
		Traits: Traits{
			Rare:      true,
			Key:       "path",
			Essential: true,
			Words:     toolspec.SameVerbs("listing", "listed", "list"),
		},
	}, runList)
}

func runList(ctx context.Context, env *Env, args listArgs) Answer {
	env = env.withFoundLimits()
	dir, info, err := env.Workspace.ResolveStart(args.Path)
	if err != nil {
		return failedAnswer(err)
	}
	if !info.IsDir() {
		return failedAnswer(fmt.Errorf("%s is a file; read it instead", args.Path))
	}
	folder, err := env.Workspace.OpenFolder(dir)
	if err != nil {
		return failedAnswer(fmt.Errorf("%s: %w", env.Workspace.Rel(dir), fsutil.Reason(err)))
	}
	defer folder.Close()
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return failedAnswer(fmt.Errorf("%s: %w", env.Workspace.Rel(dir), fsutil.Reason(err)))
	}
	if len(entries) == 0 {
		return Answer{Text: env.Workspace.Rel(dir) + " is empty.", Summary: "nothing"}
	}
	tracked, err := namesWithFiles(ctx, env.Workspace, dir)
	if err != nil {
		return failedAnswer(err)
	}
	files := slices.DeleteFunc(slices.Clone(entries), fs.DirEntry.IsDir)
	entries = append(slices.DeleteFunc(entries, func(entry fs.DirEntry) bool { return !entry.IsDir() }), files...)
	return listed(env.Limits, "", entries, args.Offset, maxListed, "entry", "", func(entry fs.DirEntry) string {
		line := describeEntry(folder, entry)
		if !tracked[entry.Name()] && couldBeTracked(folder, entry) {
			line += " [ignored]"
		}
		return line
	})
}

// namesWithFiles returns the names in dir that are files not ignored by git, or folders that
// contain such files.
func namesWithFiles(ctx context.Context, w *workspace.Workspace, dir string) (map[string]bool, error) {
	_, above, err := w.SplitPath(dir)
	if err != nil {
		return nil, err
	}
	_, files, err := w.Files(ctx, dir, func(string) bool { return true })
	names := map[string]bool{}
	for _, file := range files {
		name, _, _ := strings.Cut(strings.TrimPrefix(file, above+"/"), "/")
		names[name] = true
	}
	return names, err
}

func describeEntry(folder *os.Root, entry fs.DirEntry) string {
	name := humanize.FileName(entry.Name())
	switch mode := entry.Type(); {
	case entry.IsDir():
		return name + "/"
	case mode&fs.ModeSymlink != 0:
		target, err := folder.Readlink(entry.Name())
		if err != nil {
			return name + " (link)"
		}
		return name + " -> " + humanize.FileName(target)
	case !mode.IsRegular():
		return name + " (no regular file)"
	}
	info, err := folder.Lstat(entry.Name())
	if err != nil {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, humanize.Bytes(info.Size()))
}

// couldBeTracked reports whether git could track an entry if it were not ignored. Git tracks no
// empty folders, pipes or devices.
func couldBeTracked(folder *os.Root, entry fs.DirEntry) bool {
	if !entry.IsDir() {
		return entry.Type().IsRegular() || entry.Type()&fs.ModeSymlink != 0
	}
	inner, err := fsutil.OpenFolder(folder, entry.Name())
	if err != nil {
		return true
	}
	defer inner.Close()
	below, err := fs.ReadDir(inner.FS(), ".")
	return err != nil || len(below) > 0
}
