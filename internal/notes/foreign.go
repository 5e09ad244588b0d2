package notes

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agent/internal/extend/setup/trustedfile"
)

// A ForeignNote note was stored by another coding agent. From is its file.
type ForeignNote struct{ Text, From string }

// geminiHeading is the heading of the facts that gemini-cli stores.
const geminiHeading = "## Gemini Added Memories"

// ReadForeign reads the notes that Claude Code and gemini-cli store for a workspace. It omits texts
// that cannot be notes, and lists them in problems.
func ReadForeign(home, claude, workspace string) (found []ForeignNote, problems []string) {
	if claude == "" {
		claude = filepath.Join(home, ".claude")
	}
	folder := strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z') {
			return r
		}
		return '-'
	}, workspace)
	files, _ := fs.Glob(os.DirFS(filepath.Join(claude, "projects")), folder+"/memory/*.md")
	for i, file := range files {
		files[i] = filepath.Join(claude, "projects", filepath.FromSlash(file))
	}
	for _, file := range append(files, filepath.Join(home, ".gemini", "GEMINI.md")) {
		text, err := trustedfile.ReadScope{Home: home}.Read(file, longestFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		body := text.Text
		if filepath.Base(file) == "GEMINI.md" {
			_, body, _ = strings.Cut(body, geminiHeading)
			body, _, _ = strings.Cut(body, "\n## ")
		}
		for _, p := range parse(body, ScopeRepository) {
			if p.note == nil {
				continue
			}
			clean, err := Clean(p.note.Text)
			if err != nil {
				problems = append(problems, file+": skipped an entry: "+err.Error())
				continue
			}
			found = append(found, ForeignNote{clean, file})
		}
	}
	return found, problems
}

// Propose adds notes of other coding agents as proposals, except for notes that the book already has.
// It returns the new notes. If dry is set, it adds none.
func (b *Book) Propose(others []ForeignNote, dry bool) (added []ForeignNote, err error) {
	known, _ := b.Notes()
	for _, o := range others {
		there := false
		for _, n := range known {
			there = there || sameText(n.Text, o.Text)
		}
		if there {
			continue
		}
		if !dry {
			if _, err := b.Add(Note{Text: o.Text, From: o.From, Proposed: true}, ScopeRepository, ""); err != nil {
				return added, err
			}
		}
		added, known = append(added, o), append(known, Note{Text: o.Text})
	}
	return added, nil
}
