package plugins

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"agent/internal/base/humanize"
)

// The limits of a plugin's files.
const (
	maxFiles = 5000
	maxBytes = 64 << 20
)

// An entry is a file of a commit in git's listing.
type entry struct {
	mode, id, path string
	size           int64
}

// The file modes of entries.
const (
	modeRun       = "100755"
	modeLink      = "120000"
	modeSubmodule = "160000"
)

// list reads the names of all files in the commit.
func (f *FetchedCommit) list(ctx context.Context) error {
	out, err := f.git(ctx, nil, "ls-tree", "-r", "-z", "-l", "--full-tree", f.Commit)
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		facts, name, found := strings.Cut(line, "\t")
		if fields := strings.Fields(facts); found && len(fields) == 4 {
			size, _ := strconv.ParseInt(fields[3], 10, 64) // for a submodule, the size is "-"
			f.entries = append(f.entries, entry{fields[0], fields[2], name, size})
		}
	}
	return nil
}

// Write writes the files of a folder of the commit to the folder to, byte for byte. It returns a
// line for each omitted file: links, which could lead out of the folder, submodules, and files
// stored by Git LFS. It returns an error if names are invalid or equal on some systems. Otherwise
// the files in use might differ from the reviewed files.
func (f FetchedCommit) Write(ctx context.Context, folder, to string) (leftOut []string, err error) {
	var all []entry
	size := int64(0)
	spelled := map[string]string{}
	for _, e := range f.entries {
		if folder != "" {
			inside, is := strings.CutPrefix(e.path, folder+"/")
			if !is {
				continue
			}
			e.path = inside
		}
		for part := e.path; part != "."; part = path.Dir(part) {
			if why := unfit(path.Base(part)); why != "" {
				return nil, fmt.Errorf("%s cannot be used: %s", humanize.FileName(e.path), why)
			}
			alike := strings.ToLower(strings.ToUpper(part))
			if other, there := spelled[alike]; there && other != part {
				return nil, fmt.Errorf("%s and %s differ only in case; on some systems they are the same file", humanize.FileName(other), humanize.FileName(part))
			}
			spelled[alike] = part
		}
		switch e.mode {
		case modeLink:
			leftOut = append(leftOut, humanize.FileName(e.path)+" is a link")
		case modeSubmodule:
			leftOut = append(leftOut, humanize.FileName(e.path)+" is a submodule, which is another repository")
		default:
			all, size = append(all, e), size+e.size
		}
	}
	if len(all) > maxFiles || size > maxBytes {
		return nil, fmt.Errorf("it has more than %d files or %s", maxFiles, humanize.Bytes(maxBytes))
	}
	var ids strings.Builder
	for _, e := range all {
		ids.WriteString(e.id + "\n")
	}
	contents, err := f.git(ctx, strings.NewReader(ids.String()), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		head, rest, _ := bytes.Cut(contents, []byte("\n"))
		if string(head) != fmt.Sprintf("%s blob %d", e.id, e.size) || int64(len(rest)) <= e.size {
			return nil, fmt.Errorf("can't read %s from git", humanize.FileName(e.path))
		}
		data := rest[:e.size]
		contents = rest[e.size+1:]
		if bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/")) {
			leftOut = append(leftOut, humanize.FileName(e.path)+" is stored in Git LFS")
			continue
		}
		if err := e.write(to, data); err != nil {
			return nil, err
		}
	}
	return leftOut, nil
}

// write writes the content of a file below a folder.
func (e entry) write(below string, data []byte) error {
	to := filepath.Join(below, filepath.FromSlash(e.path))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	mode := fs.FileMode(0o600)
	if e.mode == modeRun {
		mode = 0o700
	}
	return os.WriteFile(to, data, mode)
}

// unfit returns the reason why a file or folder cannot have a name, or "" if it can.
func unfit(name string) string {
	switch {
	case !filepath.IsLocal(name) || name == ".":
		return "it is not a file name"
	case strings.EqualFold(name, ".git"):
		return "a plugin can't contain .git"
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return "some systems drop the last character of the name"
	case strings.Contains(name, `\`):
		return "some systems read the name as a path"
	case strings.ContainsFunc(name, humanize.IsHidden) || strings.ContainsAny(name, "\n\t"):
		return "the name has invisible characters"
	}
	return ""
}
