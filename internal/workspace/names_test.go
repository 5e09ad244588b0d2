package workspace

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPathsOfWindows(t *testing.T) {
	t.Parallel()
	const refused = ""
	for _, root := range []string{`C:\w\repo`, `\\server\share\repo`} {
		for path, want := range map[string]string{
			`a.txt`: root + `\a.txt`, `a/b\c`: root + `\a\b\c`, `./a/../b`: root + `\b`, `.`: root,
			`C:\x`: `C:\x`, `c:/x/y`: `c:\x\y`, `C:\..\..\x`: `C:\x`, `\\other\s\f`: `\\other\s\f`, `//other/s/f`: `\\other\s\f`,
			`C:x`: refused, `C:`: refused, `\\other`: refused, `\\?\C:\x`: refused, `//?/C:/x`: refused, `\\.\PhysicalDrive0`: refused, `\??\C:\x`: refused,
			`a.txt:x`: refused, `a:$DATA`: refused, `a::$INDEX_ALLOCATION\b`: refused, `a.`: refused, `a \b`: refused, `...`: refused, `.. \x`: refused,
			`CON`: refused, `nul`: refused, `aux.txt`: refused, `d/com1.log`: refused, `COM¹`: refused, `LPT9`: refused, `nul .txt`: refused, `CONIN$`: refused,
			`COM10`: root + `\COM10`, `console`: root + `\console`, `.git`: root + `\.git`, `a?`: refused, "a\x01": refused,
		} {
			got, err := onWindows(root, path)
			if got != want || (err != nil) != (want == refused) {
				t.Errorf("onWindows(%q, %q) = %q, %v; want %q", root, path, got, err, want)
			}
		}
	}
}

// Any path is either refused or names an ordinary file of a volume. The result leads to the same
// file when it is resolved again, and contains no name with a special meaning on Windows.
func TestWindowsPathsAreUnambiguous(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{
		`\`, `/`, `\\`, `..`, `.`, ` `, `:`, `C:`, `c:`, `\\?\`, `\\.\`, `\??\`, `//?/`, `NUL`, `con`, `AUX.txt`, `COM1`, `lpt¹`, `a`, `repo`, `w`, `PROGRA~1`,
		`$DATA`, `server`, `share`, "\x00", "\t", `é`, `*`, `"`, `x.`, `. .`, `GLOBALROOT`, `UNC`, `\Device\`, `～`,
	})
	rapid.Check(t, func(t *rapid.T) {
		root := rapid.SampledFrom([]string{`C:\w\repo`, `\\server\share\repo`}).Draw(t, "root")
		path := strings.Join(rapid.SliceOfN(piece, 1, 8).Draw(t, "pieces"), "")
		got, err := onWindows(root, path)
		if err != nil {
			return
		}
		again, err := onWindows(root, got)
		if err != nil || again != got {
			t.Fatalf("%q means %q, and that %q, %v", path, got, again, err)
		}
		volume, rest := volumeOf(got)
		if volume == "" || !strings.HasPrefix(rest, `\`) || strings.ContainsAny(rest, "/:\x00") {
			t.Fatalf("%q means %q", path, got)
		}
		for name := range strings.SplitSeq(rest[1:], `\`) {
			if name == "" && rest != `\` || name == "." || name == ".." || misleadingName(name) != "" {
				t.Fatalf("%q means %q, of which %q is read otherwise", path, got, name)
			}
		}
	})
}
