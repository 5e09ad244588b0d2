package ignore

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"agent/internal/git/index"
)

// Visitor is told what a walk comes upon, without a list of them: there may be many.
type Visitor struct {
	// File is called for each file: with the folder it is in, a slash path from the root
	// with a slash at the end or nothing, with its name there, and with what git's index
	// has of it, nil when git does not track it or was asked itself. They are valid until
	// it returns. Files that are tracked come before others; both are in order.
	File func(folder, name []byte, tracked *index.Entry)
	// Source is called, unless it is nil, for the absolute path of each folder that was
	// looked into and of each .gitignore in one.
	Source func(path string)
	// Again is called when all that was told is to be forgotten, and comes anew.
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

// Walk tells a visitor of the files below dir that git would not ignore, as [Files] has
// them.
func Walk(ctx context.Context, root, dir string, to Visitor) (Walked, error) {
	below, err := relative(root, dir)
	if err != nil {
		return Walked{}, err
	}
	if err := readable(dir); err != nil {
		return Walked{}, fmt.Errorf("list %s: %w", dir, err)
	}
	walked := walkRepository(ctx, dir, below, to)
	// Git lists nothing in a workspace that an outer repository ignores as a
	// whole. Its files are still what the user works on, so the .gitignore files
	// from root down decide alone.
	if !walked.Listed && ctx.Err() == nil {
		to.Again()
		files := walkedFiles(ctx, root, below)
		walked = Walked{Listed: len(files) > 0}
		to.files(files)
	}
	return walked, ctx.Err()
}

// walkRepository is Walk for a folder in a repository, about which git can be asked.
func walkRepository(ctx context.Context, dir, below string, to Visitor) Walked {
	if !inRepository(dir) {
		return Walked{} // git would say so too, after it was started
	}
	above := ""
	if below != "." {
		above = below + "/"
	}
	if walked, ok := walkFolders(ctx, dir, above, to); ok || ctx.Err() != nil {
		return walked
	}
	to.Again()
	files, ok := gitFiles(ctx, dir)
	if !ok {
		return Walked{}
	}
	for i := range files {
		files[i] = above + files[i]
	}
	to.files(files)
	return Walked{Listed: len(files) > 0}
}

// files tells of sorted files of which nothing else is known.
func (v Visitor) files(files []string) {
	for _, file := range files {
		slash := strings.LastIndexByte(file, '/') + 1
		v.File([]byte(file[:slash]), []byte(file[slash:]), nil)
	}
}

// absolute is the absolute path of a slash path in a folder.
func absolute(dir, rel string) string { return filepath.Join(dir, filepath.FromSlash(rel)) }
