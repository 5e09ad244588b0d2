package ignore

import (
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// gitFiles asks git for the files below the slash path below of root. It
// reports false when git cannot answer: not installed, no repository, or a
// repository it refuses.
func gitFiles(ctx context.Context, root, below string) ([]string, bool) {
	// A repository's own configuration may name a program as file system monitor;
	// listing somebody else's folder must not run it.
	cmd := exec.CommandContext(ctx, "git", "--literal-pathspecs", "-c", "core.fsmonitor=false",
		"ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", below)
	cmd.Dir = root
	cmd.Env = withoutGitVariables(os.Environ())
	out, err := cmd.Output()
	if err != nil {
		return nil, false
	}
	var files []string
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if name == "" {
			continue
		}
		files = append(files, listed(ctx, root, strings.TrimSuffix(name, "/"))...)
	}
	return files, true
}

// listed turns one name of git's answer into files: none when it was deleted
// from disk, and the files of its own when it is a repository inside this one.
func listed(ctx context.Context, root, name string) []string {
	full := filepath.Join(root, filepath.FromSlash(name))
	info, err := os.Lstat(full)
	switch {
	case err != nil:
		return nil
	case listable(info.Mode()):
		return []string{name}
	case !info.IsDir():
		return nil
	}
	inner, ok := gitFiles(ctx, full, ".")
	if !ok {
		inner = walkedFiles(ctx, full, ".")
	}
	for i := range inner {
		inner[i] = path.Join(name, inner[i])
	}
	return inner
}

// withoutGitVariables drops what would point git at another repository, as it
// does for a program started from a git hook.
func withoutGitVariables(environ []string) []string {
	kept := []string{"GIT_OPTIONAL_LOCKS=0"}
	for _, variable := range environ {
		if !strings.HasPrefix(variable, "GIT_") {
			kept = append(kept, variable)
		}
	}
	return kept
}
