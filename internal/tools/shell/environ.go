package shell

import (
	"slices"
	"strings"
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

// environment is the environment of a command that runs in dir: environ without
// the variables whose names are withheld, because they hold secrets.
func environment(environ, withheld []string, dir string) []string {
	set := append(slices.Clone(unattended), "PWD="+dir)
	var result []string
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		overridden := slices.ContainsFunc(set, func(s string) bool { return strings.HasPrefix(s, name+"=") })
		if !overridden && !slices.Contains(withheld, name) && !slices.Contains(misleading, name) {
			result = append(result, variable)
		}
	}
	return append(result, set...)
}
