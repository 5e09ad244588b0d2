package picture

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program of the system reads the clipboard. The test replaces that program.
func TestClipboard(t *testing.T) {
	t.Parallel()
	const wayland, x11 = "WAYLAND_DISPLAY=w", "DISPLAY=:0"
	for name, tt := range map[string]struct {
		programs map[string]string
		environ  []string
		system   string
		want     string
		problem  string
	}{
		"Wayland":            {map[string]string{"wl-paste": `printf 'PNG %s' "$*"`}, []string{wayland, x11}, "linux", "PNG --no-newline --type image/png", ""},
		"X11":                {map[string]string{"xclip": `printf PNG`}, []string{x11}, "linux", "PNG", ""},
		"both, one program":  {map[string]string{"xclip": `printf PNG`}, []string{wayland, x11}, "linux", "PNG", ""},
		"macOS":              {map[string]string{"osascript": `printf '«data PNGf504e47»\n'`}, nil, "darwin", "PNG", ""},
		"text on macOS":      {map[string]string{"osascript": `printf 'hello'`}, nil, "darwin", "", "contains no image"},
		"Windows":            {map[string]string{"powershell": `printf 'UE5H\r\n'`}, nil, "windows", "PNG", ""},
		"text on Windows":    {map[string]string{"powershell": `true`}, nil, "windows", "", "contains no image"},
		"text":               {map[string]string{"wl-paste": `echo No suitable type >&2; exit 1`}, []string{wayland}, "linux", "", "contains no image"},
		"nothing":            {map[string]string{"wl-paste": `true`}, []string{wayland}, "linux", "", "contains no image"},
		"no program":         {nil, []string{wayland, x11}, "linux", "", "install wl-paste or xclip"},
		"no screen":          {map[string]string{"xclip": `printf PNG`}, nil, "linux", "", "WAYLAND_DISPLAY and DISPLAY are not set"},
		"more than an image": {map[string]string{"xclip": `head -c 45000000 /dev/zero`}, []string{x11}, "linux", "", "larger than 20 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for program, script := range tt.programs {
				if err := os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			environ := append([]string{"PATH=" + dir + ":/usr/bin:/bin"}, tt.environ...)
			if len(tt.programs) == 0 {
				environ[0] = "PATH=" + dir
			}
			got, err := clipboard(t.Context(), environ, readers(tt.system))
			if string(got) != tt.want || (err == nil) != (tt.problem == "") || err != nil && !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("got %.40q, %v", got, err)
			}
		})
	}
}
