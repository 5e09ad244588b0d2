package prompts

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/disk"
	"agent/internal/protect"
)

// instructionsFile is what a file with instructions for the model is called.
const instructionsFile = "AGENTS.md"

// maxInstructions bounds an AGENTS.md file in bytes; a longer one is cut, which
// its text then says.
const maxInstructions = 64 << 10

// Instructions collects the AGENTS.md files that apply to workspace: the user's own
// in configDir, then those of the repository (or home) down to the workspace. All
// folders are absolute. A file that is there and cannot be read is left out with a
// problem to tell, and so is one of the repository that is a link out of it, since what
// it leads to would go to the provider, and one that is not this user's alone (D-61).
func Instructions(configDir, home, workspace string) (found []Instruction, problems []error) {
	seen := map[string]bool{}
	project := above(home, workspace)
	for _, dir := range append([]string{configDir}, project...) {
		file := filepath.Join(dir, instructionsFile)
		if seen[file] {
			continue
		}
		seen[file] = true
		var err error
		if dir != configDir {
			err = staysBelow(project[0], home, file)
		}
		text := ""
		if err == nil {
			text, err = readInstructions(file)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("instructions for the model are left out: %w", err))
		}
		if text != "" {
			found = append(found, Instruction{Source: file, Text: text})
		}
	}
	return found, problems
}

// staysBelow refuses a file that leads out of the folder root, or to a file that may
// hold keys. What cannot be followed is left to whoever reads it.
func staysBelow(root, home, file string) error {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return nil
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return err
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s is a link out of %s; remove it or copy what it leads to", file, root)
	}
	if kept := (protect.Places{Home: home}).Read(real, filepath.ToSlash(rel)); kept.Care != protect.Free {
		return fmt.Errorf("%s leads to %s, and %s; remove the link", file, rel, kept.Why)
	}
	return nil
}

// readInstructions returns the text of a file, "" when there is none.
func readInstructions(file string) (string, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // reading a pipe would never end
		return "", fmt.Errorf("%s is no regular file", file)
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", err
	}
	if why := cmp.Or(foreign(filepath.Dir(file), info), foreign(filepath.Dir(real), info)); why != "" {
		return "", fmt.Errorf("%s: %s, so it could be from anybody; copy it, or change its owner and permissions", file, why)
	}
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxInstructions+1))
	if err != nil {
		return "", err
	}
	cut := len(data) > maxInstructions
	text := strings.TrimSpace(strings.ToValidUTF8(string(data[:min(len(data), maxInstructions)]), ""))
	if cut {
		text += "\n(cut: the file is longer than 64 KiB)"
	}
	return text, nil
}

// foreign says who else can change a file, itself or by the folder it is in.
func foreign(folder string, file fs.FileInfo) string {
	if why := disk.Foreign(file); why != "" {
		return why
	}
	info, err := os.Stat(folder)
	if err != nil {
		return err.Error()
	}
	if why := disk.Foreign(info); why != "" {
		return "of its folder, " + why
	}
	return ""
}

// above lists the folders from the root of the repository, or from home, down to
// the workspace. Where neither is above it, and where the way up leads through a
// folder that somebody else may write to, only the workspace itself counts: what
// anybody put there must not instruct the model.
func above(home, workspace string) []string {
	dirs := []string{workspace}
	for dir := workspace; !isRoot(dir) && dir != home; {
		parent := filepath.Dir(dir)
		info, err := os.Stat(parent)
		if parent == dir || err != nil || disk.Foreign(info) != "" {
			return dirs[:1]
		}
		dirs = append(dirs, parent)
		dir = parent
	}
	slices.Reverse(dirs)
	return dirs
}

// isRoot reports whether dir is the root of a repository or of one of its
// worktrees.
func isRoot(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ".git"))
	return err == nil
}

// shorten cuts instructions to bytes in all. The most specific come last and are cut
// last; each that is cut names its file, so that the model can read the rest.
func shorten(all []Instruction, bytes int) []Instruction {
	var kept []Instruction
	for _, i := range slices.Backward(all) {
		if len(i.Text) > bytes {
			i.Text = strings.ToValidUTF8(i.Text[:bytes], "") + "\n(cut to fit the context window; the file has more)"
		}
		bytes -= min(bytes, len(i.Text))
		kept = append(kept, i)
		if bytes == 0 {
			break
		}
	}
	slices.Reverse(kept)
	return kept
}
