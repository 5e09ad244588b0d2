//go:build unix

package fsutil

import "testing"

func TestWithin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, folder string
		want         bool
	}{
		{"/a", "/a", true},
		{"/a/b", "/a", true},
		{"/a/b", "/a/", true},
		{"/", "/", true},
		{"/a", "/", true},
		{"/ab", "/a", false},
		{"/a", "/a/b", false},
		{"/b", "/a", false},
		{"/a", "", true},
		{"", "/a", false},
	} {
		if got := Within(c.path, c.folder); got != c.want {
			t.Errorf("Within(%q, %q) = %v", c.path, c.folder, got)
		}
	}
}
