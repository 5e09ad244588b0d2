package shell

import (
	"encoding/base64"
	"encoding/binary"
	"path/filepath"
	"strings"
	"unicode/utf16"
)

// A Kind is a shell that runs command lines.
type Kind string

// The kinds of shells. Auto selects the first other kind that is installed.
const (
	Auto              Kind = "auto"
	Bash              Kind = "bash"
	PowerShell        Kind = "pwsh"
	WindowsPowerShell Kind = "powershell"
	Cmd               Kind = "cmd"
)

// IsPowerShell reports whether a shell has the syntax of PowerShell.
func (k Kind) IsPowerShell() bool { return k == PowerShell || k == WindowsPowerShell }

// kindOf returns the kind of the shell at a path. Unix shells have the kind Bash.
func kindOf(path string) Kind {
	switch name := strings.ToLower(strings.TrimSuffix(filepath.Base(path), ".exe")); Kind(name) {
	case PowerShell, WindowsPowerShell, Cmd:
		return Kind(name)
	}
	return Bash
}

// powerEnd makes a PowerShell exit with the result of its line: 1 for a failed cmdlet, or the exit
// code of a program.
const powerEnd = "\n$_ok = $?; if ($_ok) { exit 0 } elseif ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 }"

// powerArguments returns the arguments of a PowerShell that runs line and prints UTF-8. The line is
// encoded, so that its quotes are parsed only once.
func powerArguments(line string) []string {
	script := "$ProgressPreference = 'SilentlyContinue'; [Console]::OutputEncoding = [Text.UTF8Encoding]::new($false)\n" + line + powerEnd
	var encoded []byte
	for _, unit := range utf16.Encode([]rune(script)) {
		encoded = binary.LittleEndian.AppendUint16(encoded, unit)
	}
	return []string{"-NoLogo", "-NoProfile", "-NonInteractive", "-EncodedCommand", base64.StdEncoding.EncodeToString(encoded)}
}
