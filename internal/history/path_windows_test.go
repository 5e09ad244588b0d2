package history

import "testing"

// On Windows, a path has the same meaning with slashes and with backslashes.
func TestAbsoluteOnWindows(t *testing.T) {
	t.Parallel()
	for _, tc := range [][3]string{
		{`C:\w`, "a.txt", "C:/w/a.txt"}, {`C:\w`, `C:\w\sub\a.txt`, "C:/w/sub/a.txt"}, {`C:\w`, `.\sub\..\a.txt`, "C:/w/a.txt"}, {`C:\w`, "/w/a.txt", "/w/a.txt"},
	} {
		if got := Absolute(tc[0], tc[1]); got != tc[2] {
			t.Errorf("%q in %q is %q, want %q", tc[1], tc[0], got, tc[2])
		}
	}
}
