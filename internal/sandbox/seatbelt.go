package sandbox

import (
	"fmt"
	"strings"
)

// seatbeltProfile returns the policy in the language of macOS's sandbox-exec. Later rules override
// earlier ones. It follows profiles by Apple and others, and was never tried.
func seatbeltProfile(p Policy) string {
	var profile strings.Builder
	rule := func(action, operation string, paths ...string) {
		for _, path := range paths {
			if path != "" {
				fmt.Fprintf(&profile, "(%s %s (subpath %s))\n", action, operation, seatbeltString(path))
			}
		}
	}
	profile.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	profile.WriteString("(allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\") (regex #\"^/dev/fd/\"))\n")
	rule("allow", "file-write*", p.writable()...)
	rule("deny", "file-write*", p.Protected...)
	rule("deny", "file-read* file-write*", p.DenyRead...)
	if !p.network() {
		profile.WriteString("(deny network*)\n")
		if p.Profile == ProfileWork {
			profile.WriteString("(allow network* (local ip \"localhost:*\") (remote ip \"localhost:*\"))\n")
		}
	}
	profile.WriteString("(deny mach-lookup (global-name \"com.apple.pasteboard.1\") (global-name \"com.apple.SecurityServer\"))\n")
	profile.WriteString("(deny signal)\n(allow signal (target same-sandbox))\n")
	return profile.String()
}

// seatbeltString returns text as a quoted string of the profile.
func seatbeltString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
