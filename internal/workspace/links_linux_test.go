package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// On file systems without hard links, files can still be created and replaced (reliability F12).
// strace makes every linkat call fail in a separate process.
func TestFileSystemsWithoutLinks(t *testing.T) {
	t.Parallel()
	const inside = "WORKSPACE_WITHOUT_LINKS"
	if os.Getenv(inside) == "" {
		strace, err := exec.LookPath("strace")
		if err != nil {
			t.Skip("strace is not installed")
		}
		for _, errno := range []string{"EPERM", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EACCES"} {
			cmd := exec.Command(strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=linkat", "-e", "inject=linkat:error="+errno, os.Args[0], "-test.run", "^TestFileSystemsWithoutLinks$", "-test.v")
			cmd.Env = append(os.Environ(), inside+"=1")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", errno, err, out)
			}
		}
		return
	}
	w := newWorkspace(t, map[string]string{"old": "a\n"})
	if err := os.Chmod(filepath.Join(w.root, "old"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(w.root, "old"), filepath.Join(w.root, "other")); err == nil {
		t.Skip("strace fails no call here")
	}
	for name, before := range map[string][]byte{"old": []byte("a\n"), "sub/new": nil} {
		path := filepath.Join(w.root, name)
		if err := w.Replace(path, before, []byte("b\n")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := content(t, path); got != "b\n" {
			t.Errorf("%s holds %q", name, got)
		}
		if err := w.Replace(path, nil, []byte("c\n")); err == nil || content(t, path) != "b\n" {
			t.Errorf("%s was made a second time: %v", name, err)
		}
	}
	if info, err := os.Stat(filepath.Join(w.root, "old")); err != nil || info.Mode() != 0o750 {
		t.Errorf("%v %v", info, err)
	}
	noTemporaryFiles(t, w)
}
