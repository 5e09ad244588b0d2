package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/extend/setup/trustedfile"

	"github.com/google/go-cmp/cmp"
)

func skillText(name, description string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: %s\n---\nHow to: ${CLAUDE_SKILL_DIR}/run $ARGUMENTS", name, description)
}

func TestFindSkills(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	repo, work := filepath.Join(home, "repo"), filepath.Join(home, "repo", "work")
	write(t, "", repo, ".git", "HEAD")
	write(t, "", work, "x")
	write(t, skillText("pdf", "Fills forms: all of them"), work, ".claude/skills/pdf/SKILL.md")
	write(t, skillText("pdf", "farther"), repo, ".agents/skills/pdf/SKILL.md")
	write(t, skillText("pdf", "the user's"), home, ".claude/skills/pdf/SKILL.md")
	write(t, skillText("other", "nested"), repo, ".github/skills/group/deep/odd-name/SKILL.md")
	write(t, skillText("too-deep", "x"), repo, ".github/skills/1/2/3/4/5/6/SKILL.md")
	write(t, skillText("below", "a skill has none below it"), repo, ".github/skills/group/deep/odd-name/below/SKILL.md")
	write(t, "\uFEFF---\r\ndescription: no name\r\nmodel: opus\r\ndisable-model-invocation: yes\r\n---\r\ntext", home, ".config/agent/skills/unnamed/SKILL.md")
	write(t, "---\nname: none\n---\n", home, ".codex/skills/none/SKILL.md")
	write(t, "no head", home, ".codex/skills/head/SKILL.md")
	write(t, skillText("modules", "x"), home, ".codex/skills/node_modules/x/SKILL.md")
	if err := os.Symlink(filepath.Join(home, ".claude/skills/pdf"), filepath.Join(home, ".codex/skills/linked")); err != nil {
		t.Fatal(err)
	}
	found := findIn(home, work).Skills
	var got []string
	for _, s := range found.Entries {
		line := fmt.Sprintf("%s %s: %s", s.Origin, s.Name, s.Description)
		if s.Shadowed {
			line += " shadowed"
		}
		got = append(got, line)
	}
	want := []string{"project other: nested", "project pdf: Fills forms: all of them", "project pdf: farther shadowed", "user pdf: the user's shadowed", "user unnamed: no name"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(found.Skipped) != 2 {
		t.Errorf("left out: %q", found.Skipped)
	}
	s := found.ByName("pdf")
	if text := s.Fill("a b")[0].Text; text != "How to: "+filepath.Join(work, ".claude/skills/pdf")+"/run a b" {
		t.Errorf("%q", text)
	}
	if s := found.ByName("user:pdf"); s == nil || s.Description != "the user's" {
		t.Errorf("%+v", s)
	}
	if s := found.ByName("unnamed"); !s.Hidden || !s.Own || len(s.Notes) != 2 {
		t.Errorf("%+v", s)
	}
	if found.ByName("user:other") != nil {
		t.Error("the project's is not the user's")
	}
}

// A skill of a repository that is a link out of it is not read.
func TestSkillsStayInTheRepository(t *testing.T) {
	t.Parallel()
	outside, repo := t.TempDir(), t.TempDir()
	write(t, skillText("trap", "x"), outside, "trap", "SKILL.md")
	write(t, "", repo, ".git", "HEAD")
	if err := errors.Join(os.MkdirAll(filepath.Join(repo, ".claude"), 0o700), os.Symlink(outside, filepath.Join(repo, ".claude", "skills"))); err != nil {
		t.Fatal(err)
	}
	if found := findSkills(trustedfile.Locations{Workspace: repo}, nil); len(found.Entries) != 0 || len(found.Skipped) != 1 {
		t.Errorf("%+v", found)
	}
}

// No name is ever omitted from the list, and all descriptions are cut to the same length.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	var found Listing
	for i := range 100 {
		found.Entries = append(found.Entries, &Entry{Dir: "d", Name: fmt.Sprintf("skill-%02d", i), Description: strings.Repeat("word ", 10+i%7*10)})
	}
	found.Entries = append(found.Entries, &Entry{Dir: "d", Name: "hidden", Description: "x", Hidden: true}, &Entry{Dir: "d", Name: "shadowed", Description: "x", Shadowed: true})
	count := func(s string) int { return len(s) / 4 }
	if _, cut, whole := found.Catalogue(1_000_000, count); cut != 0 || whole == 0 {
		t.Errorf("%d cut of %d tokens", cut, whole)
	}
	for _, budget := range []int{3000, 2000, 10} {
		text, cut, _ := found.Catalogue(budget, count)
		if cut == 0 || strings.Count(text, "\n") != 100 || strings.Contains(text, "hidden") || strings.Contains(text, "shadowed") {
			t.Errorf("%d: %d cut, %d lines", budget, cut, strings.Count(text, "\n"))
		}
		if budget > 10 && count(text) > budget {
			t.Errorf("%d tokens of %d", count(text), budget)
		}
		shortest := 1000
		for line := range strings.Lines(text) {
			_, description, _ := strings.Cut(strings.TrimSpace(line), ": ")
			shortest = min(shortest, len([]rune(description)))
		}
		if shortest < leastDescription-1 {
			t.Errorf("%d: a description of %d characters", budget, shortest)
		}
	}
	for window, want := range map[int]int{8000: 1500, 100_000: 2000, 1_000_000: 6000} {
		if got := Budget(window); got != want {
			t.Errorf("%d: %d", window, got)
		}
	}
}

func TestFilesOfASkill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"SKILL.md", "a.py", "lib/b.py", "lib/deep/c.py", "lib/deep/er/d.py"} {
		write(t, "", dir, name)
	}
	files, more := (&Entry{Dir: dir}).Files()
	if diff := cmp.Diff([]string{"a.py", "lib/b.py"}, files[:2]); diff != "" || more {
		t.Errorf("%v, %s", files, diff)
	}
	for i := range 120 {
		write(t, "", dir, fmt.Sprintf("f%03d", i))
	}
	if files, more := (&Entry{Dir: dir}).Files(); len(files) != 100 || !more {
		t.Errorf("%d files, %t", len(files), more)
	}
}
