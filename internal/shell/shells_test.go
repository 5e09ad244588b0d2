package shell

import (
	"encoding/base64"
	"strings"
	"testing"
)

func TestKindOfAShell(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]Kind{
		"/bin/sh": Bash, "/usr/bin/bash": Bash, "/usr/bin/pwsh": PowerShell, "bash.exe": Bash, "PowerShell.exe": WindowsPowerShell, "cmd.exe": Cmd,
	} {
		if got := kindOf(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// A line for PowerShell is encoded, so that it can contain any quotes. The exit code is the exit
// code of the line.
func TestPowerArguments(t *testing.T) {
	t.Parallel()
	const line = `echo "a 'b' é"; exit 3`
	args := powerArguments(line)
	encoded, err := base64.StdEncoding.DecodeString(args[len(args)-1])
	if err != nil || args[len(args)-2] != "-EncodedCommand" || !strings.Contains(strings.Join(args, " "), "-NoProfile") {
		t.Fatal(args, err)
	}
	var script strings.Builder
	for i := 0; i < len(encoded); i += 2 {
		script.WriteRune(rune(encoded[i]) | rune(encoded[i+1])<<8)
	}
	if !strings.Contains(script.String(), "\n"+line+"\n") || !strings.Contains(script.String(), "$LASTEXITCODE") {
		t.Errorf("the script is %q", script.String())
	}
}
