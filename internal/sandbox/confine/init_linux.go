package confine

import "os"

// Name is the name of the program that makes it the helper.
const Name = "agent-sandbox-helper"

// Channel is the file descriptor on which the helper finds its other half: the
// specification comes in, reports go out, and when it closes the program is gone
// and everything ends.
const Channel = 3

// Environ is the environment of what this program starts of itself beside commands:
// they only wait, and where the race detector is built in they do not wait a second
// more before they end, which is its default.
func Environ() []string {
	return []string{"GOMAXPROCS=1", "GOGC=off", "GORACE=atexit_sleep_ms=0"}
}

// Re-executing the program means to initialise its packages, most of which the
// helper does not need and which cost more than the whole sandbox. Go initialises of
// the packages whose imports are ready always the first by its path. "agent/…" comes
// before all others, so this comes as soon as package os is ready, and never returns.
// Any further import would make it wait for all that comes before that one by name:
// TestTheHelperImportsNothing looks after that.
func init() {
	if len(os.Args) == 1 && os.Args[0] == Name {
		os.Exit(serve())
	}
}
