package term

import (
	"io"
	"slices"
	"strings"

	"github.com/muesli/termenv"
)

// Lookup returns the value of a variable; the last one wins.
func Lookup(environ []string, key string) string {
	for _, pair := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(pair, key+"="); ok {
			return value
		}
	}
	return ""
}

// ColourProfile finds out what colours the environment promises; NO_COLOR wins.
// The terminal is not asked.
func ColourProfile(environ []string, terminal bool) termenv.Profile {
	out := termenv.NewOutput(io.Discard, termenv.WithEnvironment(environment(environ)), termenv.WithTTY(terminal))
	return out.EnvColorProfile()
}

// environment lets termenv look at the environment given to Run.
type environment []string

// Environ implements termenv.Environ.
func (e environment) Environ() []string { return e }

// Getenv implements termenv.Environ.
func (e environment) Getenv(key string) string { return Lookup(e, key) }
