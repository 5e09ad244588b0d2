package workspace

import (
	"fmt"
	"strings"
)

// onWindows returns the absolute Windows path for a path of the model, which may contain either
// slash. Relative paths start at the folder root. It does not access the disk. It refuses names
// with a special meaning. These are devices such as NUL or aux.txt, streams such as a.txt:x, and
// names that end in a dot or a blank, which Windows removes. It also refuses the prefixes that
// disable such rules.
func onWindows(root, path string) (string, error) {
	path = strings.ReplaceAll(path, "/", `\`)
	for _, raw := range []string{`\\?\`, `\\.\`, `\??\`} {
		if strings.HasPrefix(path, raw) {
			return "", fmt.Errorf("paths must not begin with %s; write the path without it", raw)
		}
	}
	volume, rest := volumeOf(path)
	switch {
	case volume == "" && strings.HasPrefix(rest, `\`): // relative to the drive of the workspace
		volume, _ = volumeOf(root)
	case volume == "":
		volume, root = volumeOf(root)
		rest = root + `\` + rest
	case strings.HasPrefix(volume, `\`) && strings.Count(volume, `\`) < 3:
		return "", fmt.Errorf("%s names a server without a shared folder", path)
	case strings.HasSuffix(volume, ":") && !strings.HasPrefix(rest, `\`):
		return "", fmt.Errorf("%s is relative to the current folder of drive %s; write the full path from %s\\, or a path relative to the workspace", path, volume, volume)
	}
	var names []string
	for name := range strings.SplitSeq(rest, `\`) {
		switch name {
		case "", ".":
		case "..":
			names = names[:max(0, len(names)-1)]
		default:
			if why := misleadingName(name); why != "" {
				return "", fmt.Errorf("the name %q %s", name, why)
			}
			names = append(names, name)
		}
	}
	return volume + `\` + strings.Join(names, `\`), nil
}

// volumeOf splits a path with backslashes into its drive, or server and share, and the rest.
func volumeOf(path string) (volume, rest string) {
	if len(path) >= 2 && path[1] == ':' && isLetter(path[0]) {
		return path[:2], path[2:]
	}
	if !strings.HasPrefix(path, `\\`) {
		return "", path
	}
	parts := strings.SplitN(path[2:], `\`, 3)
	volume = `\\` + strings.Join(parts[:min(2, len(parts))], `\`)
	return volume, path[len(volume):]
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// misleadingName returns the reason why Windows interprets a name as something other than a file
// with that name. It returns "" for other names.
func misleadingName(name string) string {
	switch {
	case strings.ContainsRune(name, ':'):
		return "is a stream or a drive, not a file; name only the file"
	case strings.TrimRight(name, ". ") != name:
		return "ends with a dot or a space; remove it"
	case strings.ContainsAny(name, `<>"|?*`) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }):
		return "has a character that Windows does not allow in file names"
	}
	device, _, _ := strings.Cut(name, ".")
	device = strings.ToUpper(strings.TrimRight(device, " "))
	switch device {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return "is reserved for a device; choose another"
	}
	for _, port := range []string{"COM", "LPT"} {
		if number, ok := strings.CutPrefix(device, port); ok && len([]rune(number)) == 1 && strings.Contains("0123456789¹²³", number) {
			return "is reserved for a device; choose another"
		}
	}
	return ""
}
