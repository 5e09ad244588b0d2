package keeper

import "os"

// The program that is one of them need not be initialised first, see package confine.
func init() {
	switch {
	case len(os.Args) == 2 && os.Args[0] == HolderName:
		os.Exit(hold(os.Args[1]))
	case len(os.Args) == 2 && os.Args[0] == WatcherName:
		os.Exit(watch(os.Args[1]))
	}
}
