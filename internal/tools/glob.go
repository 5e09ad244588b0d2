package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/toolspec"
	"agent/internal/workspace"
)

type globArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path,omitempty" jsonschema:"the folder to begin at"`
	Offset  int    `json:"offset,omitempty" jsonschema:"the first file, from 1"`
}

func glob() Tool {
	return defineRead(Tool{
		Name:        "glob",
		Description: "Finds files by a glob, most recently changed first. Finds files that git ignores only if path or pattern begins with their folder.",
		Traits: Traits{
			Key:   "pattern",
			Words: toolspec.SameVerbs("finding", "found", "find"),
		},
	}, runGlob)
}

func runGlob(ctx context.Context, env *Env, args globArgs) Answer {
	env = env.withFoundLimits()
	base, pattern, err := args.start(env.Workspace)
	if err != nil {
		return failedAnswer(err)
	}
	var files []string
	if info, err := env.Workspace.Lstat(base); err == nil && info.IsDir() {
		listed, found, err := env.Workspace.Files(ctx, base, func(file string) bool { return doublestar.MatchUnvalidated(pattern, file) })
		if err != nil {
			return failedAnswer(err)
		}
		for _, file := range found {
			files = append(files, filepath.Join(listed, filepath.FromSlash(file)))
		}
	}
	if len(files) == 0 {
		return Answer{Text: fmt.Sprintf("No file matches %s.", args.Pattern), Summary: "no files"}
	}
	latestFirst(files)
	return listed(env.Limits, "", files, args.Offset, maxListed, "file", ", or narrow the pattern", func(file string) string {
		return humanize.FileName(env.Workspace.Rel(file))
	})
}

// start splits a pattern into its leading folder and the rest, which may contain wildcards. Only
// files below the folder need to be listed.
func (args globArgs) start(w *workspace.Workspace) (base, pattern string, err error) {
	if strings.TrimSpace(args.Pattern) == "" {
		return "", "", errors.New("pattern is empty")
	}
	if !doublestar.ValidatePattern(args.Pattern) {
		return "", "", fmt.Errorf("pattern %q is not a valid glob", args.Pattern)
	}
	start, info, err := w.ResolveStart(args.Path)
	if err != nil {
		return "", "", err
	}
	if !info.IsDir() {
		return "", "", fmt.Errorf("%s is a file; path must be a folder", args.Path)
	}
	folder, pattern := doublestar.SplitPattern(args.Pattern)
	if base, err = w.Resolve(fsutil.ResolveIn(start, folder)); err != nil {
		return "", "", err
	}
	if slices.Contains(strings.Split(pattern, "/"), "..") {
		return "", "", fmt.Errorf("pattern %q can't have .. after a wildcard", args.Pattern)
	}
	return base, pattern, nil
}

// latestFirst sorts files by the time of their last change, and by path if the times are equal.
func latestFirst(files []string) {
	type dated struct {
		file    string
		changed int64 // nanoseconds
	}
	all := make([]dated, len(files)) // a map would be too large for a large repository
	for i, file := range files {
		all[i].file = file
		if info, err := os.Lstat(file); err == nil {
			all[i].changed = info.ModTime().UnixNano()
		}
	}
	slices.SortStableFunc(all, func(a, b dated) int { return cmp.Compare(b.changed, a.changed) })
	for i := range all {
		files[i] = all[i].file
	}
}

// globMeta holds the characters that mark a name as a glob.
const globMeta = "*?[{"

// concerns reports whether one of some valid globs matches a file: its path, its name in any
// folder, or a folder above it.
func concerns(globs []string, file string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		glob = strings.TrimSuffix(strings.TrimPrefix(glob, "./"), "/")
		return doublestar.MatchUnvalidated(glob, path.Base(file)) || doublestar.MatchUnvalidated(glob, file) || doublestar.MatchUnvalidated(glob+"/**", file)
	})
}
