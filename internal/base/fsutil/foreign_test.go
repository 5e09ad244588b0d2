//go:build unix

package fsutil_test

import (
	"os"
	"path/filepath"
	"testing"

	"agent/internal/base/fsutil"
)

func TestForeign(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		mode     os.FileMode
		uid, gid int // -1 keeps the owner
		foreign  bool
	}{
		{0o600, -1, -1, false},
		{0o644, -1, -1, false},
		{0o646, -1, -1, true},
		{0o600, 12345, -1, true},
		{0o660, 0, 12345, true},
		{0o640, 0, 12345, false},
		{0o660, 0, 0, false},
	} {
		if tt.uid >= 0 || tt.gid >= 0 {
			if os.Getuid() != 0 {
				continue // only root can change the owner
			}
			if err := os.Chown(file, tt.uid, tt.gid); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(file, tt.mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if why := fsutil.OtherWriters(info); (why != "") != tt.foreign {
			t.Errorf("%+v: %q", tt, why)
		}
	}
}
