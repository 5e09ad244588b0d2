package link

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Off is the setting that links nothing, Auto the one that links where the terminal is
// known to take links.
const (
	Off  = "off"
	Auto = "auto"
)

// Links makes links for a terminal and a workspace. It belongs to one goroutine. Nil makes
// none.
type Links struct {
	scheme string
	// lines is set where a file's address may end with a line.
	lines      bool
	host, root string
	folder     *os.Root
	now        func() time.Time
	looked     map[string]look
	// looks is how many files may still be looked for in the text that is read.
	looks int
}

// look is what was seen of a file.
type look struct {
	is bool
	at time.Time
}

// New returns what links for a setting: auto, off, "file" or the scheme of an editor. It is
// nil where the terminal takes no links, or there is no such folder.
func New(setting string, env func(string) string, root string, now func() time.Time) *Links {
	takes := takesLinks(env)
	if setting == Off || takes == never || setting == Auto && takes != known {
		return nil
	}
	folder, err := os.OpenRoot(root)
	if err != nil {
		return nil
	}
	l := &Links{scheme: setting, root: filepath.Clean(root), folder: folder, now: now, lines: countsLines(env), looked: map[string]look{}}
	if setting == Auto {
		l.scheme = editorAround(env)
	}
	l.host, _ = os.Hostname()
	return l
}

// address is the address of a file. A line of 0 is none.
func (l *Links) address(path string, line, column int) string {
	switch l.scheme {
	case "file":
		u := url.URL{Scheme: "file", Host: l.host, Path: path}
		if l.lines && line > 0 {
			u.Fragment = fmt.Sprint(line)
		}
		return u.String()
	case "idea":
		return fmt.Sprintf("idea://open?file=%s&line=%d", url.QueryEscape(path), max(1, line))
	}
	at := ""
	if line > 0 {
		at = fmt.Sprintf(":%d:%d", line, max(1, column))
	}
	return l.scheme + "://file" + (&url.URL{Path: path}).EscapedPath() + at
}

// again is when a file that was not there is looked for again, most how many are
// remembered.
const (
	again = 2 * time.Second
	most  = 4096
)

// path is where a file of the workspace is, "" if there is none. No link out of the
// workspace is followed.
func (l *Links) path(name string) string {
	if filepath.IsAbs(name) {
		rest, within := strings.CutPrefix(name, l.root+"/")
		if !within {
			return ""
		}
		name = rest
	}
	seen, ok := l.looked[name]
	if now := l.now(); !ok || !seen.is && now.Sub(seen.at) >= again {
		if l.looks--; l.looks < 0 {
			return ""
		}
		if len(l.looked) >= most {
			clear(l.looked)
		}
		seen = look{l.opens(name), now}
		l.looked[name] = seen
	}
	if !seen.is {
		return ""
	}
	return filepath.Join(l.root, name)
}

// launchers are files that a desktop may run when they are opened.
const launchers = " .app .bat .cmd .command .desktop .exe .hta .jar .js .jse .lnk .msi .pif .pkg .ps1 .reg .scpt .scr .terminal .tool .url .vbe .vbs .webloc .workflow .wsf "

// opens reports whether a file is there and opening it does no more than showing it.
func (l *Links) opens(name string) bool {
	info, err := l.folder.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	runs := info.Mode()&0o111 != 0 || strings.Contains(launchers, " "+strings.ToLower(filepath.Ext(name))+" ")
	return l.scheme != "file" || !runs
}
