package ignore

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// present turns git's answer into files, in place: what was deleted from disk is none,
// and a repository inside this one stands for the files of its own. It reads the folders:
// to look at each of many files takes as long as all the rest of a listing.
// Of those keep says which are listed.
func present(ctx context.Context, root string, listed []string, keep func(file string) bool) []string {
	slices.Sort(listed)
	p := &presence{ctx: ctx, root: root, listed: listed, stands: make([]stands, len(listed)), places: map[string]int{}}
	p.folder("", 0, len(listed))
	files := listed[:0]
	var inner []string
	for i, name := range listed {
		switch p.stands[i] {
		case file:
			files = append(files, name)
		case folder:
			inner = append(inner, repositoryFiles(ctx, root, name, keep)...)
		}
	}
	return append(files, inner...)
}

// repositoryFiles are the files of a repository inside the one at root.
func repositoryFiles(ctx context.Context, root, name string, keep func(file string) bool) []string {
	full := filepath.Join(root, filepath.FromSlash(name))
	inner, listed := gitFiles(ctx, full, ".", func(file string) bool { return keep(path.Join(name, file)) })
	if listed {
		for i := range inner {
			inner[i] = path.Join(name, inner[i])
		}
		return inner
	}
	for _, file := range walkedFiles(ctx, full, ".") {
		if file = path.Join(name, file); keep(file) {
			inner = append(inner, file)
		}
	}
	return inner
}

// stands is what stands at a name.
type stands byte

const (
	nothing stands = iota
	file           // or a link
	folder
	other
)

func standsAt(mode fs.FileMode) stands {
	switch {
	case listable(mode):
		return file
	case mode.IsDir():
		return folder
	}
	return other
}

type presence struct {
	ctx  context.Context
	root string
	// listed are sorted names, and stands is what was found at each.
	listed []string
	stands []stands
	// places are those of the names in the folder that is being read.
	places map[string]int
}

// fewNames is how many names of a folder are looked at one by one, and readAtOnce how
// many entries of a folder are held.
const (
	fewNames   = 4
	readAtOnce = 512
)

// folder looks at the names from begin to end, which all begin with a prefix: it is empty
// or ends with a slash.
func (p *presence) folder(prefix string, begin, end int) {
	if p.ctx.Err() != nil {
		return
	}
	p.read(prefix, begin, end)
	for at := begin; at < end; {
		slash := strings.IndexByte(p.listed[at][len(prefix):], '/')
		if slash < 0 {
			at++
			continue
		}
		below, first := p.listed[at][:len(prefix)+slash+1], at
		for at++; at < end && strings.HasPrefix(p.listed[at], below); at++ {
		}
		p.folder(below, first, at)
	}
}

// read finds what stands at those of the names that are in the folder itself.
func (p *presence) read(prefix string, begin, end int) {
	clear(p.places)
	for at := begin; at < end; at++ {
		if name := p.listed[at][len(prefix):]; strings.IndexByte(name, '/') < 0 {
			p.places[name] = at
		}
	}
	if len(p.places) <= fewNames || !p.readFolder(prefix) {
		for _, at := range p.places {
			if info, err := os.Lstat(filepath.Join(p.root, filepath.FromSlash(p.listed[at]))); err == nil {
				p.stands[at] = standsAt(info.Mode())
			}
		}
	}
}

// readFolder is read by reading the folder; false means that this is not possible.
func (p *presence) readFolder(prefix string) bool {
	// A pipe may stand there by now, which is not waited for.
	dir, err := os.OpenFile(filepath.Join(p.root, filepath.FromSlash(prefix)), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(readAtOnce)
		for _, entry := range entries {
			if at, ok := p.places[entry.Name()]; ok {
				p.stands[at] = standsAt(entry.Type())
			}
		}
		if err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}
