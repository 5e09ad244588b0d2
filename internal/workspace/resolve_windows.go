package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf16"

	"golang.org/x/sys/windows"
)

// follow returns the absolute target of a path from the model. Every link and junction is followed,
// and every name is in the form on disk, neither short nor in another case. Names that do not exist
// stay unchanged.
func (w *Workspace) follow(path string) (string, error) {
	path, err := onWindows(w.root, path)
	if err != nil {
		return "", err
	}
	volume, rest := volumeOf(path)
	real := volume + `\`
	names := strings.Split(rest, `\`)
	for links := 0; len(names) > 0; {
		name := names[0]
		names = names[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			real = filepath.Dir(real)
			continue
		}
		if len(utf16.Encode([]rune(name))) > longestName {
			return "", syscall.ENAMETOOLONG
		}
		next := filepath.Join(real, name)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if strings.Contains(name, "~") && shortName(name) {
				return "", fmt.Errorf("%q looks like the short name of a missing file; write the long name", name)
			}
			real = next
			continue
		case err != nil:
			return "", err
		case info.Mode().IsRegular() && len(names) > 0:
			return "", errNoFolder{}
		case info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) == 0:
			real = filepath.Join(real, nameOnDisk(next, name))
			continue
		}
		if links++; links > maxLinks {
			return "", errLoop
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", fmt.Errorf("can't follow the link %s: %w", name, err)
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(real, target)
		}
		if target, err = onWindows(w.root, target); err != nil {
			return "", err
		}
		volume, rest := volumeOf(target)
		real = volume + `\`
		names = append(strings.Split(rest, `\`), names...)
	}
	return real, nil
}

// longestName is the length of the longest file name, in UTF-16 units.
const longestName = 255

// errLoop is the error for a path with too many links.
var errLoop = errors.New("its links form a loop")

// shortName reports whether a name has the form of the short names that Windows generates, such as
// PROGRA~1. A file created under such a name could be found under another name.
func shortName(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	at := strings.LastIndexByte(base, '~')
	return at > 0 && at < len(base)-1 && len(base) <= 8 && strings.Trim(base[at+1:], "0123456789") == ""
}

// nameOnDisk returns the long name of a file on disk.
func nameOnDisk(path, name string) string {
	pattern, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return name
	}
	var found windows.Win32finddata
	search, err := windows.FindFirstFile(pattern, &found)
	if err != nil {
		return name
	}
	_ = windows.FindClose(search)
	return windows.UTF16ToString(found.FileName[:])
}
