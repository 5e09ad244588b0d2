package protect_test

import (
	"testing"

	"agent/internal/protect"
)

func TestKeysBelowAHomeOfWindows(t *testing.T) {
	t.Parallel()
	places := protect.ProtectionRules{Home: `C:\Users\me`}
	for abs, careful := range map[string]bool{
		`C:\Users\me\.ssh\id_x`: true, `C:\users\ME\.aws\credentials`: true, `C:\Users\me\.config\gh\hosts.yml`: true,
		`C:\Users\me\src\a.go`: false, `C:\Users\meandyou\x`: false,
	} {
		if got := places.Read(abs, "").Protection != protect.Unprotected; got != careful {
			t.Errorf("%s: %v", abs, got)
		}
	}
}
