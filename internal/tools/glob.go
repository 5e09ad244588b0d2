package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/tools/lines"
	"agent/internal/tools/workspace"
)

type globArgs struct {
	Pattern string `json:"pattern" jsonschema:"a glob such as **/*.go or internal/{a,b}/*_test.go; ** stands for any folders"`
	Path    string `json:"path,omitempty" jsonschema:"the folder the pattern starts from; default the workspace"`
}

// maxGlobbed is how many paths an answer of glob holds.
const maxGlobbed = 1000

func glob() Tool {
	return defineRead(Tool{
		Name: "glob",
		Description: "Finds files by name and answers with their paths, the latest changed first. " +
			"Files that git ignores are left out, unless path or the folders the pattern begins with name an ignored folder.",
		KeyParameter: "pattern",
	}, runGlob)
}

func runGlob(ctx context.Context, env *Env, args globArgs) Answer {
	base, pattern, err := args.start(env.Workspace)
	if err != nil {
		return failed(err)
	}
	var files []string
	if info, err := os.Stat(base); err == nil && info.IsDir() {
		if files, err = env.Workspace.Files(ctx, base); err != nil {
			return failed(err)
		}
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		return !doublestar.MatchUnvalidated(pattern, filepath.ToSlash(strings.TrimPrefix(file, strings.TrimSuffix(base, "/")+"/")))
	})
	if len(files) == 0 {
		return Answer{Text: fmt.Sprintf("No file matches %s.", args.Pattern)}
	}
	latestFirst(files)
	var list strings.Builder
	for _, file := range files[:min(len(files), maxGlobbed)] {
		fmt.Fprintln(&list, env.Workspace.Rel(file))
	}
	const room = 200
	result := lines.Head(list.String(), max(env.Limits.OutputBytes()-room, room))
	if len(files) > maxGlobbed {
		result = lines.Append(result, fmt.Sprintf("[the latest %d of %d files; narrow the pattern]", maxGlobbed, len(files)))
	}
	return Answer{Text: result}
}

// start splits a pattern into the folder it begins with, so that only what is below
// is listed, and the rest, which may hold wildcards.
func (args globArgs) start(w *workspace.Workspace) (base, pattern string, err error) {
	if strings.TrimSpace(args.Pattern) == "" {
		return "", "", errors.New("pattern is empty")
	}
	if !doublestar.ValidatePattern(args.Pattern) {
		return "", "", fmt.Errorf("pattern %q is no valid glob", args.Pattern)
	}
	start, info, err := w.Place(args.Path)
	if err != nil {
		return "", "", err
	}
	if !info.IsDir() {
		return "", "", fmt.Errorf("%s is a file; path must be a folder", args.Path)
	}
	folder, pattern := doublestar.SplitPattern(args.Pattern)
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(start, folder)
	}
	if base, err = w.Resolve(folder); err != nil {
		return "", "", err
	}
	if slices.Contains(strings.Split(pattern, "/"), "..") {
		return "", "", fmt.Errorf("pattern %q has .. after a wildcard", args.Pattern)
	}
	return base, pattern, nil
}

// latestFirst sorts files by when they were changed, and by path where that is the
// same.
func latestFirst(files []string) {
	changed := make(map[string]time.Time, len(files))
	for _, file := range files {
		if info, err := os.Lstat(file); err == nil {
			changed[file] = info.ModTime()
		}
	}
	slices.SortStableFunc(files, func(a, b string) int { return changed[b].Compare(changed[a]) })
}
