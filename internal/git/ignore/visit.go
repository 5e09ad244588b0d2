package ignore

import (
	"context"
	"fmt"

	"agent/internal/gitfiles/index"
)

// Visitor receives the results of a walk one by one, because a list of them could be long.
type Visitor struct {
	// File is called for each file with its slash path from the root. tracked is its entry in
	// git's index. It is nil if git does not track the file or listed the files itself. Both
	// arguments are valid until File returns. Tracked files come first; both groups are sorted.
	File func(path []byte, tracked *index.Entry)
	// Source is called with the absolute path of each folder that was read, and of each .gitignore
	// in these folders. It may be nil.
	Source func(path string)
	// Again is called if the walk starts again. The results so far must be discarded.
	Again func()
}

// WalkResult is the result of a walk.
type WalkResult struct {
	// Listed is set if there was at least one file.
	Listed bool
	// Stable is set if another walk would have the same results until one of these changes: the
	// sources, git's index and configuration, and the ignore files outside dir.
	Stable bool
}

// Walk calls the visitor for the files below dir that git does not ignore, as in [Files].
func Walk(ctx context.Context, root, dir string, to Visitor) (WalkResult, error) {
	return walk(ctx, root, dir, false, to)
}

// walk implements Walk. If named is set, dir is listed even if it is ignored itself.
func walk(ctx context.Context, root, dir string, named bool, to Visitor) (WalkResult, error) {
	below, err := relative(root, dir)
	if err != nil {
		return WalkResult{}, err
	}
	top, err := openFolder(root)
	if err != nil {
		return WalkResult{}, fmt.Errorf("list %s: %w", root, err)
	}
	defer top.close()
	if err := top.below(below).readable(); err != nil {
		return WalkResult{}, fmt.Errorf("list %s: %w", dir, err)
	}
	walked := top.walk(ctx, below, to)
	if named && !walked.Listed && below != "." && ctx.Err() == nil {
		to.Again()
		walked = to.files(walkedFiles(ctx, top.below(below), "."), below+"/")
	}
	return walked, ctx.Err()
}

// walk calls the visitor for the files below a path.
func (f folder) walk(ctx context.Context, below string, to Visitor) WalkResult {
	dir := f.below(below)
	if inRepository(dir.abs(".")) { // avoids starting git outside a repository
		above := ""
		if below != "." {
			above = below + "/"
		}
		walked, ok := walkFolders(ctx, dir, above, to)
		if !ok && ctx.Err() == nil {
			to.Again()
			walked = to.files(gitFiles(ctx, dir), above)
		}
		// Git lists nothing in a workspace that an outer repository ignores as a whole. But the
		// user works on its files, so only the .gitignore files from root down apply.
		if walked.Listed || ctx.Err() != nil {
			return walked
		}
		to.Again()
	}
	return to.files(walkedFiles(ctx, f, below), "")
}

// files reports sorted files in a folder as untracked.
func (v Visitor) files(files []string, above string) WalkResult {
	for _, file := range files {
		v.File([]byte(above+file), nil)
	}
	return WalkResult{Listed: len(files) > 0}
}
