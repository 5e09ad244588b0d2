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

// taken is what is known of a terminal and links.
type taken int

const (
	unknown taken = iota
	known
	// never is a terminal that shows what it does not know, or drops it.
	never
)

// programs are the terminals that take links, by TERM_PROGRAM.
const programs = " iTerm.app WezTerm vscode ghostty mintty rio zed Tabby contour Hyper "

// takesLinks says whether the terminal takes links. tmux does from 3.4 on, and knows of
// each of its own terminals whether that does.
func takesLinks(env func(string) string) taken {
	term, program := env("TERM"), env("TERM_PROGRAM")
	switch {
	case term == "" || term == "dumb" || term == "linux" || env("STY") != "" || env("INSIDE_EMACS") != "" || program == "Apple_Terminal":
		return never
	case env("TMUX") != "" || strings.HasPrefix(term, "tmux") || strings.HasPrefix(term, "screen"):
		if program == "tmux" && atLeast(env("TERM_PROGRAM_VERSION"), 3, 4) {
			return known
		}
		return never
	case program != "" && strings.Contains(programs, " "+program+" "),
		strings.HasPrefix(term, "xterm-kitty"), strings.HasPrefix(term, "xterm-ghostty"), strings.HasPrefix(term, "foot"), strings.HasPrefix(term, "alacritty"), strings.HasPrefix(term, "wezterm"),
		env("KITTY_WINDOW_ID") != "", env("WT_SESSION") != "", atLeast(env("VTE_VERSION"), 5000, 0), atLeast(env("KONSOLE_VERSION"), 201200, 0):
		return known
	}
	return unknown
}

// atLeast compares a version such as 3.4a.
func atLeast(version string, major, minor int) bool {
	var a, b int
	n, _ := fmt.Sscanf(strings.TrimPrefix(version, "next-"), "%d.%d", &a, &b)
	return n > 0 && (a > major || a == major && b >= minor)
}

// countsLines reports whether the terminal opens a file at the line that its address ends
// with: others look for a file of that name.
func countsLines(env func(string) string) bool {
	return env("TERM_PROGRAM") == "iTerm.app" || env("KITTY_WINDOW_ID") != "" || strings.HasPrefix(env("TERM"), "xterm-kitty")
}

// editorAround is the scheme of the editor whose terminal this is, else "file".
func editorAround(env func(string) string) string {
	switch {
	case env("TERM_PROGRAM") == "zed":
		return "zed"
	case env("TERM_PROGRAM") == "vscode" && env("CURSOR_TRACE_ID") != "":
		return "cursor"
	case env("TERM_PROGRAM") == "vscode":
		return "vscode"
	}
	return "file"
}
