package sandbox

import (
	"os"
	"strconv"

	"golang.org/x/sys/windows"
)

// breakName is the first argument with which the program starts itself to send Ctrl+Break. The
// second argument is the process group.
const breakName = "agent-send-break"

func init() {
	if len(os.Args) == 3 && os.Args[1] == breakName {
		os.Exit(sendBreak(os.Args[2]))
	}
}

var attachConsole = windows.NewLazySystemDLL("kernel32.dll").NewProc("AttachConsole")

// sendBreak sends Ctrl+Break to a process group on another console. For this, the process joins
// that console.
func sendBreak(group string) int {
	head, err := strconv.ParseUint(group, 10, 32)
	if err != nil {
		return 2
	}
	if joined, _, _ := attachConsole.Call(uintptr(head)); joined == 0 {
		return 1
	}
	if windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(head)) != nil {
		return 1
	}
	return 0
}
