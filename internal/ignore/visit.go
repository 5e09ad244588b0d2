package ignore

import (
	"context"
	"fmt"
	"strings"

	"agent/internal/git/index"
)

// Visitor receives what a walk finds, without a list of them: there may be many.
type Visitor struct {
	// File is called for each file: with the folder it is in, a slash path from the root
	// with a slash at the end or nothing, with its name there, and with what git's index
	// has of it, nil when git does not track it or was asked itself. They are valid until
	// it returns. Files that are tracked come before others; both are in order.
	File func(folder, name []byte, tracked *index.Entry)
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
	return walkWith(ctx, folder.walk, root, dir, to)
}

// walker reports to a visitor of the files below a path in a folder.
type walker func(in folder, ctx context.Context, below string, to Visitor) Walked

func walkWith(ctx context.Context, walk walker, root, dir string, to Visitor) (Walked, error) {
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
	return walk(top, ctx, below, to), ctx.Err()
}

// walkNamed is walk for a folder that is listed also if it is ignored itself.
func (f folder) walkNamed(ctx context.Context, below string, to Visitor) Walked {
	walked := f.walk(ctx, below, to)
	if walked.Listed || below == "." || ctx.Err() != nil {
		return walked
	}
	to.Again()
	return tell(walkedFiles(ctx, f.below(below), "."), below+"/", to)
}

// walk reports to a visitor of the files below a path.
func (f folder) walk(ctx context.Context, below string, to Visitor) Walked {
	walked := f.walkRepository(ctx, below, to)
	// Git lists nothing in a workspace that an outer repository ignores as a
	// whole. Its files are still what the user works on, so the .gitignore files
	// from root down decide alone.
	if walked.Listed || ctx.Err() != nil {
		return walked
	}
	to.Again()
	return tell(walkedFiles(ctx, f, below), "", to)
}

// tell reports sorted files in a folder to a visitor, of which nothing else is known.
func tell(files []string, above string, to Visitor) Walked {
	for i := range files {
		files[i] = above + files[i]
	}
	to.files(files)
	return Walked{Listed: len(files) > 0}
}

// walkRepository is walk for a folder in a repository, about which git can be asked.
func (f folder) walkRepository(ctx context.Context, below string, to Visitor) Walked {
	dir := f.below(below)
	if !inRepository(dir.abs(".")) {
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
	return tell(files, above, to)
}

// files reports sorted files of which nothing else is known.
func (v Visitor) files(files []string) {
	for _, file := range files {
		slash := strings.LastIndexByte(file, '/') + 1
		v.File([]byte(file[:slash]), []byte(file[slash:]), nil)
	}
}
