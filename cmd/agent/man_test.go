package main

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"agent/internal/frontend/cli"
)

// The manual page names every command and every flag. It contains no text that man would read as a
// request.
func TestManPage(t *testing.T) {
	t.Parallel()
	root := newRoot(world{}, func(context.Context, world, sessionOptions) error { return nil })
	page := cli.ManPage(root, exitStatuses)
	for _, want := range []string{"agent sessions list", "agent savings", `\-\-approval\-mode`, `\fB\-p\fR, \fB\-\-prompt\fR \fIPROMPT\fR`, ".SH EXIT STATUS"} {
		if !strings.Contains(page, strings.ReplaceAll(want, "-", "-")) {
			t.Errorf("no %q", want)
		}
	}
	for line := range strings.Lines(page) {
		if name, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(line, ".") && !strings.Contains(" .TH .SH .SS .TP .PP .B .BR .br .nf .fi ", " "+name+" ") {
			t.Errorf("an unknown request: %q", line)
		}
	}
	man, err := exec.LookPath("man")
	if err != nil {
		return
	}
	check := exec.Command(man, "--warnings=w", "-E", "UTF-8", "-l", "-Tutf8", "-Z", "-")
	check.Stdin = strings.NewReader(page)
	if out, err := check.CombinedOutput(); err == nil && strings.Contains(string(out), "warning:") {
		t.Errorf("%s", out)
	}
}
