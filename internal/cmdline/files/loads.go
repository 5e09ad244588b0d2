package files

import (
	"path"
	"slices"
	"strings"

	"agent/internal/base/lazyregexp"
	"agent/internal/cmdline/programs"
)

// harmlessOptions maps interpreters to options with which they still only run the file in their
// arguments.
var harmlessOptions = map[string]*lazyregexp.Pattern{
	"python": lazyregexp.New(`^-[uBsSEIOqbvx]+$|^-W\w+$`), "pypy": lazyregexp.New(`^-[uBsSEIOqb]+$`),
	"perl": lazyregexp.New(`^-[wTt]+$`), "ruby": lazyregexp.New(`^-w$`), "php": lazyregexp.New(`^-f$`), "lua": lazyregexp.New(`^-W$`),
	"node":   lazyregexp.New(`^--(?:no-warnings|enable-source-maps|experimental-[\w-]+)$`),
	"nodejs": lazyregexp.New(`^--(?:no-warnings|enable-source-maps|experimental-[\w-]+)$`),
}

// awkRuns matches awk programs that may run a command or read a file.
var awkRuns = lazyregexp.New(`\bsystem\b|\bgetline\b|\||@(?:include|load)|\bindirect\b`)

// LoadsCode reports whether the files that a program runs are unknown. This is so if it runs code from
// its arguments or its input, or a module whose name is not that of a file. Words that are not
// known are empty.
func LoadsCode(words []string) bool {
	if programs.Is(words[0], programs.IsAwk) {
		return slices.ContainsFunc(words[1:], awkRuns.MatchString)
	}
	if !programs.Is(words[0], programs.RunsFiles) || programs.Is(words[0], programs.SourcesFile) {
		return false
	}
	harmless := harmlessOptions[strings.TrimRight(programs.Name(words[0]), "0123456789.-")]
	for _, arg := range words[1:] {
		switch {
		case harmless != nil && harmless.MatchString(arg):
		case arg == "--version" || arg == "-V" || arg == "-v" || arg == "--help" || arg == "-h":
			return false
		case strings.HasPrefix(arg, "-"):
			return true
		default:
			// A word that is not literal is checked elsewhere. A word without an extension may be a
			// folder or a module.
			return arg != "" && len(path.Ext(arg)) < len(".c")
		}
	}
	return true
}

// searched lists variables with folders or modules from which programs load code.
var searched = []string{"PYTHONPATH", "PYTHONHOME", "NODE_PATH", "PERL5LIB", "PERL5OPT", "PERL5DB", "RUBYLIB", "RUBYOPT", "LUA_PATH", "LUA_CPATH", "CLASSPATH", "AWKPATH", "LUA_INIT"}

// IsSearchPathVariable reports whether programs load code from the folders or modules in a variable.
func IsSearchPathVariable(variable string) bool { return slices.Contains(searched, variable) }
