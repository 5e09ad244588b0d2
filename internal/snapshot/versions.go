package snapshot

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"agent/internal/base/fsutil"
	"agent/internal/workspace"
)

// A version is a past, present or planned state of a file, with its content.
type version struct {
	FileState
	abs string
	// content is nil if there is no file or the file is too large.
	content []byte
	open    func() (*os.File, error)
}

// summed returns the state with the hash of the content, if the content is known.
func (f version) summed() FileState {
	s := f.FileState
	if s.Kind == KindFile && s.Sum == "" && f.content != nil {
		s.Sum = sumOf(f.content)
	}
	return s
}

// files reads, writes and removes the files of a workspace.
type files struct{ workspace *workspace.Workspace }

// look reads the file at a path of the workspace. A missing file is no error.
func (w *files) look(rel string) (version, error) {
	f := version{abs: absolute(w.workspace.Root(), rel)}
	f.open = func() (*os.File, error) { return w.workspace.Open(f.abs) }
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return f, errors.New("it is not in the workspace")
	}
	folder := filepath.Dir(f.abs)
	switch real, err := w.workspace.Resolve(folder); {
	case isNotFolder(err), errors.Is(err, syscall.ELOOP): // a link whose links form a loop has no target
		f.Kind = KindMissing
		return f, nil
	case err != nil:
		return f, err
	case real != folder:
		f.Kind = KindMissing // the link refers to another file
		return f, &behindError{w.linkAbove(rel)}
	}
	info, err := os.Lstat(f.abs)
	if err != nil && !isAbsent(err) {
		return f, fsutil.Reason(err)
	}
	f.FileState = stateOf(f.abs, info, err)
	if f.Kind != KindFile || f.Size > largest {
		return f, nil
	}
	in, err := f.open()
	if err != nil {
		return f, fsutil.Reason(err)
	}
	defer in.Close()
	f.content, err = io.ReadAll(io.LimitReader(in, largest+1))
	if f.content == nil {
		f.content = []byte{}
	}
	return f, err
}

// behindError means that a folder above a path is a link. link is the path of that link.
type behindError struct{ link string }

func (*behindError) Error() string { return "a parent folder is now a link" }

// linkAbove returns the path of the outermost link above a path.
func (w *files) linkAbove(rel string) string {
	for end, c := range rel {
		if c != '/' {
			continue
		}
		if info, err := os.Lstat(absolute(w.workspace.Root(), rel[:end])); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return rel[:end]
		}
	}
	return ""
}

// isAbsent reports whether an error means that a path does not exist: its name is missing, or
// a folder above it is a file.
func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) || isNotFolder(err) }

// hasSum reports whether the content of the file has the given checksum.
func (f version) hasSum(sum string) bool {
	if f.content != nil {
		return hasSum(bytes.NewReader(f.content), int64(len(f.content)), sum)
	}
	in, err := f.open()
	if err != nil {
		return false
	}
	defer in.Close()
	return hasSum(in, f.Size, sum)
}

// is reports whether a state describes this version.
func (f version) is(s FileState) bool { return s.is(f.FileState, f.hasSum) && s.sameMode(f.FileState) }
