package shell

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/windows"

	"agent/internal/base/fsutil"
	"agent/internal/sandbox"
)

// endGroup does nothing, because the sandbox ends the processes of a command's job with the
// command.
func endGroup(int, time.Duration) bool { return false }

// interrupted is the exit code of a program that was ended by Ctrl+C or Ctrl+Break.
const interrupted = 0xc000013a

// exitCode returns the exit code in the form of a shell, and the name of the signal that ended the
// command, if any.
func exitCode(ended *os.ProcessState, _ syscall.Signal) (code int, signal string) {
	code = ended.ExitCode()
	if uint32(code) == interrupted {
		return code, "Ctrl+Break"
	}
	return code, ""
}

// tooLong reports whether an error means that a command line is longer than the system accepts.
func tooLong(err error) bool { return errors.Is(err, windows.ERROR_FILENAME_EXCED_RANGE) }

// shells lists the shells to search for, in order. Bash is first because models write its syntax
// best.
var shells = []Kind{Bash, PowerShell, WindowsPowerShell, Cmd}

const lastShell = `C:\Windows\System32\cmd.exe`

// NameInToolDescription is the name of the shell in the description of the tool.
const NameInToolDescription = "the shell that the prompt names (use its syntax and quotes)"

// shellNames contains names of shells for the model that are clearer than the names of their
// programs.
var shellNames = map[Kind]string{
	Bash:              "bash (of Git for Windows; write paths with /)",
	PowerShell:        "pwsh (PowerShell 7)",
	WindowsPowerShell: "powershell (Windows PowerShell 5.1, which has no && and ||)",
	Cmd:               "cmd (cmd.exe)",
}

// find returns the path of a shell, "" if it is not installed.
func (j *Jobs) find(kind Kind, distrusted []string) string {
	switch kind {
	case Bash:
		return j.gitBash(distrusted)
	case PowerShell, WindowsPowerShell, Cmd:
		if path, err := j.LookPath(string(kind), distrusted...); err == nil {
			return path
		}
	}
	return ""
}

// gitBash returns the bash of Git for Windows, or another bash in PATH. It never returns the bash
// of the system folder, which runs lines in a separate Linux.
func (j *Jobs) gitBash(distrusted []string) string {
	var roots []string
	if git, err := j.LookPath("git", distrusted...); err == nil { // git.exe is in cmd, bin or mingw64\bin
		roots = append(roots, filepath.Dir(filepath.Dir(git)), filepath.Dir(filepath.Dir(filepath.Dir(git))))
	}
	for _, variable := range []string{"ProgramFiles", "ProgramFiles(x86)"} {
		roots = append(roots, filepath.Join(sandbox.Variable(j.environ, variable), "Git"))
	}
	roots = append(roots, filepath.Join(sandbox.Variable(j.environ, "LOCALAPPDATA"), "Programs", "Git"))
	for _, root := range roots {
		path := filepath.Join(root, "bin", "bash.exe")
		if info, err := os.Stat(path); filepath.IsAbs(path) && err == nil && info.Mode().IsRegular() && !sandbox.IsInside(path, distrusted) {
			return path
		}
	}
	path, err := j.LookPath("bash", distrusted...)
	if system := sandbox.Variable(j.environ, "SystemRoot"); err != nil || system != "" && fsutil.Within(path, system) || strings.Contains(path, `\WindowsApps\`) {
		return ""
	}
	return path
}

// giveLine sets the command line of cmd, which has its own quoting rules.
func giveLine(c *exec.Cmd, program, line string) {
	c.SysProcAttr.CmdLine = `"` + program + `" /d /s /c "chcp 65001>nul & ` + line + `"`
}
