package link

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Off is the setting for no links. Auto is the setting for links if the terminal is known to support them.
const (
	Off  = "off"
	Auto = "auto"
)

// Links makes links for a terminal and a workspace. It must be used by one goroutine. A nil Links makes
// none.
type Links struct {
	scheme string
	// lines is set if the address of a file can end with a line number.
	lines      bool
	host, root string
	folder     *os.Root
	now        func() time.Time
	looked     map[string]look
	// looks is the number of files that may still be checked for the current text.
	looks int
}

// look is the result of checking a file: whether it exists, and the time of the check.
type look struct {
	is bool
	at time.Time
}

// New returns the Links for a setting: auto, off, "file" or the scheme of an editor. It returns
// nil if the terminal does not support links, or if the folder root cannot be opened.
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
	if filepath.Separator == '/' { // Windows would search the file on a server of that name
		l.host, _ = os.Hostname()
	}
	return l
}

// address returns the address of a file. A line of 0 means no line.
func (l *Links) address(path string, line, column int) string {
	path = filepath.ToSlash(path)
	rooted := path
	if !strings.HasPrefix(rooted, "/") {
		rooted = "/" + path // the path begins with a drive letter
	}
	switch l.scheme {
	case "file":
		u := url.URL{Scheme: "file", Host: l.host, Path: rooted}
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
	return l.scheme + "://file" + (&url.URL{Path: rooted}).EscapedPath() + at
}

// again is the time after which a missing file is checked again. most limits the number of stored results.
const (
	again = 2 * time.Second
	most  = 4096
)

// path returns the path of a file in the workspace, or "" if there is none. It does not follow
// symbolic links out of the workspace.
func (l *Links) path(name string) string {
	if filepath.IsAbs(name) {
		rest, err := filepath.Rel(l.root, name)
		if err != nil || !filepath.IsLocal(rest) {
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

// launchers lists the file extensions that a desktop may run when they are opened.
const launchers = " .app .bat .cmd .command .desktop .exe .hta .jar .js .jse .lnk .msi .pif .pkg .ps1 .reg .scpt .scr .terminal .tool .url .vbe .vbs .webloc .workflow .wsf "

// opens reports whether a file exists and opening it only shows it.
func (l *Links) opens(name string) bool {
	info, err := l.folder.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	runs := info.Mode()&0o111 != 0 || strings.Contains(launchers, " "+strings.ToLower(filepath.Ext(name))+" ")
	return l.scheme != "file" || !runs
}

// taken is whether a terminal supports links.
type taken int

const (
	unknown taken = iota
	known
	// never means that the terminal prints unknown sequences as text, or drops them.
	never
)

// programs lists the terminals that support links, by TERM_PROGRAM.
const programs = " iTerm.app WezTerm vscode ghostty mintty rio zed Tabby contour Hyper "

// takesLinks returns whether the terminal supports links. tmux supports them from version 3.4 on, and
// determines whether each of its own terminals does.
func takesLinks(env func(string) string) taken {
	term, program := env("TERM"), env("TERM_PROGRAM")
	switch {
	case term == "" && env("WT_SESSION") == "" || term == "dumb" || term == "linux" || env("STY") != "" || env("INSIDE_EMACS") != "" || program == "Apple_Terminal":
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

// atLeast reports whether a version such as 3.4a is at least major.minor.
func atLeast(version string, major, minor int) bool {
	var a, b int
	n, _ := fmt.Sscanf(strings.TrimPrefix(version, "next-"), "%d.%d", &a, &b)
	return n > 0 && (a > major || a == major && b >= minor)
}

// countsLines reports whether the terminal opens a file at the line number at the end of its address. Other
// terminals would search a file of that name.
func countsLines(env func(string) string) bool {
	return env("TERM_PROGRAM") == "iTerm.app" || env("KITTY_WINDOW_ID") != "" || strings.HasPrefix(env("TERM"), "xterm-kitty")
}

// editorAround returns the scheme of the editor that contains this terminal, otherwise "file".
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
