package slash_test

import (
	"strings"
	"testing"

	"agent/internal/command"
	"agent/internal/slash"
)

// Command files are listed, completed with their hint, and sent as typed, including quotes.
// Built-in commands take precedence.
func TestFilesAsCommands(t *testing.T) {
	t.Parallel()
	c := slash.New(t.Context(), slash.Deps{Setup: slash.Setup{Callable: func() []command.Callable {
		return []command.Callable{{Name: "git:pr", Help: "open a pull request", Hint: "TITLE base", Origin: "user"}, {Name: "help", Help: "ours", Origin: "project"}}
	}}})
	for line, want := range map[string]bool{"/git:pr it's \"open": true, "/git:pr": true, "/help": false, "/project:help x": true, "/user:git:pr": true, "/git:p": false, "git:pr": false, "": false} {
		if got := c.SendsMessage(line); got != want {
			t.Errorf("Sends(%q) = %v", line, got)
		}
	}
	line := "/git:pr it's  \"open"
	if out, err := c.Run(t.Context(), line); err != nil || out.Submit != line {
		t.Errorf("%v %v", out, err)
	}
	if _, proposals := c.Complete("/git"); len(proposals) == 0 || proposals[0].Value != "/git:pr" || proposals[0].Help != "TITLE base  open a pull request" {
		t.Errorf("proposed %v", proposals)
	}
	if _, proposals := c.Complete("/git:pr x "); len(proposals) > 0 {
		t.Errorf("a hint is proposed: %v", proposals)
	}
	out, err := c.Run(t.Context(), "/help git:pr")
	if text := strings.Join(out.Lines, "\n"); err != nil || !strings.Contains(text, "/git:pr TITLE base") {
		t.Errorf("%v %s", err, text)
	}
}
