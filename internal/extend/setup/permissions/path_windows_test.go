package permissions

import (
	"testing"

	"agent/internal/cmdline"
)

// Rules match files of Windows in any form of the path: with either slash, in upper or lower case,
// with a drive, in the form of Git Bash, or without a drive.
func TestRulesAboutFilesOfWindows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, line, dir string }{
		{"Read(./secrets/**)", `type secrets\a`, `C:\w`},
		{"Read(./secrets/**)", `type C:\w\secrets\a`, `C:\w`},
		{"Read(./secrets/**)", `type \w\SECRETS\a`, `C:\w`},
		{"Read(./secrets/**)", `cat /c/w/secrets/a`, `C:\w`},
		{"Read(./secrets/**)", `cat C:/W/secrets/a`, `D:\x`},
		{"Read(./secrets/**)", `Get-Content .\secrets\..\secrets\a`, `C:\w`},
		{"Read(//c/keys/*.pem)", `Get-Content c:\keys\A.PEM`, `C:\w`},
		{"Read(//C:/keys/*.pem)", `cat /c/keys/a.pem`, `C:\w`},
		{"Read(//keys/*.pem)", `type E:\keys\a.pem`, `C:\w`},
		{"Read(~/.aws/**)", `Get-Content ~\.aws\credentials`, `C:\w`},
		{"Edit(docs/**)", `Remove-Item docs\a`, `C:\w`},
		{"Edit(docs/**)", `C:\Windows\System32\XCOPY.EXE a docs\a`, `C:\w`},
	} {
		r := Parse(Deny, []string{c.rule}, "f", `C:\w`, `C:\Users\me`)
		if len(r.Problems) > 0 || r.CommandFilesRule(cmdline.Read(c.line), c.dir) == nil {
			t.Errorf("%s lets %s run in %s (%v)", c.rule, c.line, c.dir, r.Problems)
		}
	}
	r := Parse(Deny, []string{"Read(./secrets/**)", "Read(//d/keys/**)"}, "f", `C:\w`, "")
	for _, line := range []string{`type c\w\secrets\a`, `type C:\keys\a`, `type secretsx\a`} {
		if rule := r.CommandFilesRule(cmdline.Read(line), `C:\w`); rule != nil {
			t.Errorf("%s: %s", line, rule)
		}
	}
}
