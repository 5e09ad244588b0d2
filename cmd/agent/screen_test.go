package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"agent/internal/testing/vt"
)

// screenRun is a program on a terminal of 80×24, as a user sees it.
type screenRun struct {
	t       *testing.T
	cmd     *exec.Cmd
	pty     *os.File
	screen  *vt.Terminal
	painted chan struct{}
}

// startOnScreen starts a command in the folder work of a home, with a key and an endpoint in its
// environment.
func startOnScreen(t *testing.T, home, url string, args ...string) *screenRun {
	t.Helper()
	return startWith(t, home, []string{"OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + url}, args...)
}

// startWith starts a command in the folder work of a home, with these environment variables.
func startWith(t *testing.T, home string, environ []string, args ...string) *screenRun {
	t.Helper()
	s := &screenRun{t: t, cmd: exec.Command(args[0], args[1:]...), screen: vt.New(80, 24), painted: make(chan struct{}, 1)}
	if args[0] == "agent" {
		s.cmd.Path, s.cmd.Err = os.Args[0], nil
	}
	s.cmd.Dir = filepath.Join(home, "work")
	s.cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "TERM=xterm-256color", "NO_COLOR=1",
		"GORACE=" + noRaceSleep,
	}, environ...)
	terminal, err := pty.StartWithSize(s.cmd, &pty.Winsize{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	s.pty = terminal
	late := time.AfterFunc(2*time.Minute, func() { _ = s.cmd.Process.Kill() })
	t.Cleanup(func() {
		late.Stop()
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		terminal.Close()
	})
	go func() {
		defer close(s.painted)
		piece := make([]byte, 64<<10)
		for {
			n, err := terminal.Read(piece)
			_, _ = s.screen.Write(piece[:n])
			if err != nil {
				return
			}
			select {
			case s.painted <- struct{}{}:
			default:
			}
		}
	}()
	return s
}

// until waits for a text on the screen, and returns its rows.
func (s *screenRun) until(text string) string {
	s.t.Helper()
	deadline := time.After(60 * time.Second)
	for {
		rows := s.screen.Lines()
		if shown := strings.Join(rows[max(0, len(rows)-24):], "\n"); strings.Contains(shown, text) {
			return shown
		}
		select {
		case _, open := <-s.painted:
			if !open && !strings.Contains(strings.Join(s.screen.Lines(), "\n"), text) {
				s.t.Fatalf("the program ended without %q:\n%s", text, strings.Join(s.screen.Lines(), "\n"))
			}
		case <-deadline:
			s.t.Fatalf("no %q on the screen:\n%s", text, strings.Join(s.screen.Lines(), "\n"))
		}
	}
}

// untilFolded waits for a text that may be wrapped.
func (s *screenRun) untilFolded(text string) {
	s.t.Helper()
	s.untilTimes(text, 1)
}

// untilTimes waits until the screen shows a text the given number of times. The text may be
// wrapped.
func (s *screenRun) untilTimes(text string, times int) {
	s.t.Helper()
	text = strings.Join(strings.Fields(text), "")
	shown := func() bool {
		folded := strings.Join(strings.Fields(strings.Join(s.screen.Lines(), " ")), "")
		return strings.Count(folded, text) >= times
	}
	for deadline := time.After(60 * time.Second); !shown(); {
		select {
		case _, open := <-s.painted:
			if !open && !shown() {
				s.t.Fatalf("the program ended without %q:\n%s", text, strings.Join(s.screen.Lines(), "\n"))
			}
		case <-deadline:
			s.t.Fatalf("no %q on the screen:\n%s", text, strings.Join(s.screen.Lines(), "\n"))
		}
	}
}

// press writes keys.
func (s *screenRun) press(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.pty, keys); err != nil {
		s.t.Fatal(err)
	}
}

// answer presses a letter until the prompt closes, because a letter that arrives too early does not
// answer it.
func (s *screenRun) answer(letter string) {
	s.t.Helper()
	for range 20 {
		s.press(letter)
		for taken := time.After(time.Second); taken != nil; {
			select {
			case <-s.painted:
				if rows := s.screen.Lines(); !strings.Contains(strings.Join(rows[max(0, len(rows)-24):], "\n"), "Enter choose") {
					return
				}
			case <-taken:
				taken = nil
			}
		}
	}
	s.t.Fatalf("%s answers nothing:\n%s", letter, strings.Join(s.screen.Lines(), "\n"))
}

// writeFile writes a file and the folders above it.
func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// The consent prompt for six items of a repository fits 80×24 without scrolling. It shows kind,
// name, exact command or address, variables and files.
func TestTheQuestionOfConsentFitsTheScreen(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                      "module x\n",
		"CLAUDE.md":                   "Be brief.\n",
		".git/HEAD":                   "ref: refs/heads/main\n",
		".mcp.json":                   `{"mcpServers": {"github": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-github"], "env": {"T": "${GITHUB_TOKEN}"}}, "docs": {"type": "http", "url": "https://docs.example.com/mcp"}}}`,
		".claude/hooks/check.py":      "pass\n",
		".claude/hooks/format.sh":     "true\n",
		".claude/skills/rel/SKILL.md": "---\nname: rel\ndescription: Releases.\nallowed-tools: Bash(git tag:*)\n---\nrelease\n",
		".claude/settings.json": `{"permissions": {"allow": ["Bash(npm run lint)", "Bash(npm run test:*)", "WebFetch(domain:docs.example.com)"]}, "hooks": {
			"PostToolUse": [{"matcher": "Edit|MultiEdit|Write", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/format.sh"}]}],
			"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "python3 .claude/hooks/check.py"}]}]}}`,
	} {
		writeFile(t, filepath.Join(home, "work", name), text)
	}
	s := startOnScreen(t, home, newModel(t).URL, "agent", "-m", "m")
	shown := s.until("v all")
	for _, want := range []string{
		"6 items", "allow without asking (.claude/settings.json:", "Bash(npm run lint), Bash(npm run test:*)",
		"hook PreToolUse Bash (.claude/settings.json)", "python3 .claude/hooks/check.py",
		"hook PostToolUse Edit|MultiEdit|Write (.claude/settings.json)", `"$CLAUDE_PROJECT_DIR"/.claude/hooks/format.sh`,
		"grants skill rel (.claude/skills/rel/SKILL.md)", "Bash(git tag:*)",
		"server github (.mcp.json) · reads GITHUB_TOKEN", "npx -y @modelcontextprotocol/server-github",
		"server docs (.mcp.json)", "https://docs.example.com/mcp", "Your answer covers the present content of .claude/hooks/check.py,", ".claude/hooks/format.sh, and no other file",
		"y yes, use these", "n not now", "d never use these",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	if strings.Contains(shown, "more line") {
		t.Errorf("it scrolls:\n%s", shown)
	}
}
