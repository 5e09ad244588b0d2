package launcher

import "os"

// Name is the program name that makes a process the helper.
const Name = "agent-sandbox-helper"

// Channel is the file descriptor that connects the helper with the program. The helper receives the
// Spec on it and sends Reports. When it closes, the program has ended, and the helper and the
// command must end too.
const Channel = 3

// Environ returns the environment of processes that the program starts from its own executable.
// They mostly wait and need little of the Go runtime. With the race detector they would by default
// wait one second before they exit.
func Environ() []string {
	return []string{"GOMAXPROCS=1", "GOGC=off", "GORACE=atexit_sleep_ms=0"}
}

// A new process of the program would initialize all its packages. The helper does not need most of
// them, and this would take longer than the whole sandbox. When the imports of several packages are
// initialized, Go continues with the first of these packages by path. "agent/…" sorts before all
// others, so this function runs as soon as package os is initialized. For the helper it never
// returns. Each further import would delay it until every package with an earlier path is
// initialized. TestTheHelperImportsNothing checks this.
func init() {
	if len(os.Args) == 1 && os.Args[0] == Name {
		os.Exit(serve())
	}
}
