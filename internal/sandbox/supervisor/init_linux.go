package supervisor

import "os"

// A holder or watcher runs before the other packages of the program are initialized, see init of
// package launcher.
func init() {
	switch {
	case len(os.Args) == 2 && os.Args[0] == HolderName:
		os.Exit(hold(os.Args[1]))
	case len(os.Args) == 2 && os.Args[0] == WatcherName:
		os.Exit(watch(os.Args[1]))
	}
}
