package term

import "os"

// ReturnToShell returns false: on Windows no shell can resume a terminal from a running program.
func ReturnToShell(*os.File) bool { return false }
