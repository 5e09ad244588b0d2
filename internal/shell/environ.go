package shell

import (
	"os"
	"slices"
	"strings"

	"agent/internal/git"
	"agent/internal/sandbox"
)

// unattended are the variables from which programs learn that nobody is at a
// terminal: no pager, no editor, no question, no colour.
var unattended = []string{
	"TERM=dumb", "PAGER=cat", "MANPAGER=cat", "GIT_PAGER=cat", "GIT_EDITOR=true",
	"GIT_TERMINAL_PROMPT=0", "NO_COLOR=1", "DEBIAN_FRONTEND=noninteractive",
}

// misleading variables make "cd name" go elsewhere than to the folder of that name
// here, which approval relies on.
var misleading = []string{"CDPATH", "PWD", "OLDPWD"}

// environment is the environment of a command: that of the program without what
// holds secrets. A read-only one gets only what cannot change what it does, and one that
// is not confined no PATH into the folders that are distrusted, unless somebody was asked.
func (j *Jobs) environment(c Command) []string {
	environ := sandbox.Environ(j.environ, c.Confined.AllowEnv)
	set := append(slices.Clone(unattended), "PWD="+c.Dir)
	if j.Traced != nil && j.Traced() != "" {
		set = append(set, "TRACEPARENT="+j.Traced())
	}
	switch {
	case c.ReadOnly:
		environ = sandbox.PlainEnviron(environ, c.Distrusted...)
		set = append(append(set, git.Variables()...), golang...)
	case c.Typed || c.Confined.Active() && c.Profile != sandbox.Open:
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

// golang keeps the go command from fetching another version of itself, which a
// workspace can ask for, and from counting that it was run.
var golang = []string{"GOTOOLCHAIN=local", "GOTELEMETRY=off", "TEST_TELEMETRY_DIR=" + os.DevNull + "/none"}
