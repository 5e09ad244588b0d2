package ignore

import (
	"context"
	"fmt"

	"agent/internal/git/index"
)

// Visitor receives what a walk finds, without a list of them: there may be many.
type Visitor struct {
	// File is called for each file: with its slash path from the root, and with what git's
	// index has of it, nil when git does not track it or was asked itself. Both are valid
	// until it returns. Files that are tracked come before others; both are in order.
	File func(path []byte, tracked *index.Entry)
	// Source is called, unless it is nil, for the absolute path of each folder that was
	// looked into and of each .gitignore in one.
	Source func(path string)
	// Again is called when all that was reported is to be forgotten, and comes anew.
	Again func()
}

// Walked says how a walk went.
type Walked struct {
	// Listed is false when there are no files at all.
	Listed bool
	// Certain says that the walk would come upon the same as long as the sources do not
	// change, nor git's index and configuration, nor what is ignored by them.
	Certain bool
}

// Walk reports to a visitor of the files below dir that git would not ignore, as [Files] has
// them.
func Walk(ctx context.Context, root, dir string, to Visitor) (Walked, error) {
	return walk(ctx, root, dir, false, to)
}

// walk is Walk. A dir that is named on purpose is listed also if it is ignored itself.
func walk(ctx context.Context, root, dir string, named bool, to Visitor) (Walked, error) {
	below, err := relative(root, dir)
	if err != nil {
		return Walked{}, err
	}
	top, err := openFolder(root)
	if err != nil {
		return Walked{}, fmt.Errorf("list %s: %w", root, err)
	}
	defer top.close()
	if err := top.below(below).readable(); err != nil {
		return Walked{}, fmt.Errorf("list %s: %w", dir, err)
	}
	walked := top.walk(ctx, below, to)
	if named && !walked.Listed && below != "." && ctx.Err() == nil {
		to.Again()
		walked = to.files(walkedFiles(ctx, top.below(below), "."), below+"/")
	}
	return walked, ctx.Err()
}

// walk reports to a visitor of the files below a path.
func (f folder) walk(ctx context.Context, below string, to Visitor) Walked {
	dir := f.below(below)
	if inRepository(dir.abs(".")) { // git would say that it is not, after it was started
		above := ""
		if below != "." {
			above = below + "/"
		}
		walked, ok := walkFolders(ctx, dir, above, to)
		if !ok && ctx.Err() == nil {
			to.Again()
			walked = to.files(gitFiles(ctx, dir), above)
		}
		// Git lists nothing in a workspace that an outer repository ignores as a
		// whole. Its files are still what the user works on, so the .gitignore files
		// from root down decide alone.
		if walked.Listed || ctx.Err() != nil {
			return walked
		}
		to.Again()
	}
	return to.files(walkedFiles(ctx, f, below), "")
}

// files reports sorted files in a folder, of which nothing else is known.
func (v Visitor) files(files []string, above string) Walked {
	for _, file := range files {
		v.File([]byte(above+file), nil)
	}
	return Walked{Listed: len(files) > 0}
}
