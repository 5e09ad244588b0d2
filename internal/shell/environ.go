package shell

import (
	"os"
	"slices"
	"strings"

	"agent/internal/git/gitcmd"
	"agent/internal/sandbox"
)

// unattended lists variables that make programs non-interactive: no pager, no editor, no questions
// and no colors.
var unattended = []string{
	"TERM=dumb", "PAGER=cat", "MANPAGER=cat", "GIT_PAGER=cat", "GIT_EDITOR=true",
	"GIT_TERMINAL_PROMPT=0", "NO_COLOR=1", "DEBIAN_FRONTEND=noninteractive",
}

// misleading lists variables that can make "cd name" enter another folder than name in the current
// folder. The approval of commands assumes the folder in the current folder.
var misleading = []string{"CDPATH", "PWD", "OLDPWD"}

// environment returns the environment of a command: the program's environment without secrets. A
// read-only command gets only variables that cannot change its effect. For an unconfined command,
// PATH omits the distrusted folders, unless a user typed the command or approved its programs.
func (j *Jobs) environment(c Command) []string {
	environ := sandbox.Environ(j.environ, c.Confined.AllowEnv)
	set := append(slices.Clone(unattended), "PWD="+c.Dir)
	set = append(set, withBytesApart(environ)...)
	if j.Traced != nil && j.Traced() != "" {
		set = append(set, "TRACEPARENT="+j.Traced())
	}
	switch {
	case c.ReadOnly:
		environ = sandbox.PlainEnviron(environ, c.Distrusted...)
		set = append(append(set, gitcmd.SafeVariables()...), golang...)
	case c.Typed || c.Confined.Guarantees(c.Profile).Files:
	default:
		environ = sandbox.UnconfinedEnviron(environ, c.Distrusted...)
		if !c.FoundInside {
			environ = sandbox.WithSafePath(environ, c.Distrusted...)
		}
	}
	var result []string
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		overridden := slices.ContainsFunc(set, func(s string) bool { return strings.HasPrefix(s, name+"=") })
		if !overridden && !slices.Contains(j.withhold, name) && !slices.Contains(misleading, name) {
			result = append(result, variable)
		}
	}
	return append(result, set...)
}

// golang prevents the go command from downloading another version of itself, which a workspace can
// request, and from recording usage data.
var golang = []string{"GOTOOLCHAIN=local", "GOTELEMETRY=off", "TEST_TELEMETRY_DIR=" + os.DevNull + "/none"}
