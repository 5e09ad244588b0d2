// Package protect lists the files that need protection. These are files that other programs execute
// or read as configuration later without approval, and files that may contain API keys or
// passwords. Edits, reads, the check for read-only commands and the sandbox all use this list
// (D-60). The package compares names only and opens no file.
package protect

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"agent/internal/base/fsutil"
)

// Protection is the degree of protection of a file.
type Protection int

// The degrees of protection.
const (
	// Unprotected files are not protected.
	Unprotected Protection = iota
	// NeedsApproval files: a call on them requires approval unless the approval mode allows everything.
	NeedsApproval
	// AlwaysNeedsApproval files: a call on them requires approval in every approval mode.
	AlwaysNeedsApproval
)

// File is a protected file that a call reads or changes.
type File struct {
	// Path is the path of the file for messages.
	Path string
	// Name is the entry of the lists that protects the file, such as ".github/workflows". A rule
	// that allows the call must contain this name.
	Name       string
	Protection Protection
	// Why is the reason for the protection in a few words, such as "shells run it".
	Why string
	// Keys is set for a secret file. No mode sends its text without approval (D-121).
	Keys bool
	// Denied is set if a rule forbids the call. The call then cannot be approved.
	Denied bool
}

// ProtectionRules holds the additional protected paths of one conversation. Its zero value has none.
type ProtectionRules struct {
	// Home is the absolute home folder.
	Home string
	// Own lists the absolute paths of the program's own files: its configuration, sessions and API
	// keys.
	Own []string
	// Denied lists the absolute paths of the setting sandbox.deny-read.
	Denied []string
	// Open lists absolute folders inside protected folders that may be read, such as the folders of
	// skills. Files in them that the lists name are still protected.
	Open []string
	// RuleForFile returns the rule of the user or the repository against reading a file, or against
	// changing it if edit is set. denied is set if the rule forbids the access. Without a rule it
	// returns "". The path is absolute, without links. RuleForFile may be nil.
	RuleForFile func(abs string, edit bool) (why string, denied bool)
	// Keeps is set if RuleForFile can require approval for reads.
	Keeps bool
	// IsApproved reports whether the user approved that the program runs a file or uses it as
	// instructions. The path is absolute, without links. IsApproved may be nil.
	IsApproved func(abs string) bool
	// IsRunByGit reports whether git executes a file or reads it as configuration because its
	// configuration names it. The path is absolute, without links. IsRunByGit may be nil.
	IsRunByGit func(abs string) bool
}

// EditProtection returns the protection of a file against changes. abs is its absolute path without links,
// rel its path in the workspace for messages.
func (p ProtectionRules) EditProtection(abs, rel string) File {
	if found := p.byRule(abs, rel, true); found.Protection != Unprotected {
		return found
	}
	if found := p.ownFile(abs, rel); found.Protection != Unprotected {
		return found
	}
	if found := p.secret(abs, rel); found.Protection == AlwaysNeedsApproval {
		return found
	}
	if p.IsApproved != nil && p.IsApproved(abs) {
		return File{Path: rel, Name: rel, Protection: AlwaysNeedsApproval, Why: "you approved its current content (agent trust), and this call would change it"}
	}
	if p.IsRunByGit != nil && p.IsRunByGit(abs) {
		return File{Path: rel, Name: rel, Protection: AlwaysNeedsApproval, Why: "git's configuration makes git run it"}
	}
	if e, ok := entryIn(rel, false); ok {
		return File{Path: rel, Name: e.name, Protection: e.care, Why: e.why}
	}
	return p.secret(abs, rel)
}

// Read returns the protection of a file against reads. Its parameters are the same as EditProtection's.
func (p ProtectionRules) Read(abs, rel string) File {
	if found := p.byRule(abs, rel, false); found.Protection != Unprotected {
		return found
	}
	if slices.ContainsFunc(p.Open, func(folder string) bool { return fsutil.Within(abs, folder) }) {
		return ProtectionRules{Denied: p.Denied}.Read(abs, rel)
	}
	if found := p.ownFile(abs, rel); found.Protection != Unprotected {
		return found
	}
	return p.secret(abs, rel)
}

// byRule returns the protection that a rule of the user or the repository gives the file. The zero File
// means that no rule applies.
func (p ProtectionRules) byRule(abs, rel string, edit bool) File {
	if p.RuleForFile == nil {
		return File{}
	}
	if why, denied := p.RuleForFile(abs, edit); why != "" {
		return File{Path: rel, Name: rel, Protection: AlwaysNeedsApproval, Why: why, Denied: denied}
	}
	return File{}
}

// ownFile returns the protection of the program's own files and of files that a setting denies.
func (p ProtectionRules) ownFile(abs, rel string) File {
	for _, denied := range p.Denied {
		if fsutil.Within(abs, denied) {
			return File{Path: rel, Name: filepath.Base(denied), Protection: AlwaysNeedsApproval, Why: "the setting sandbox.deny-read names it"}
		}
	}
	for _, own := range p.Own {
		if own != "" && fsutil.Within(abs, own) {
			return File{Path: rel, Name: filepath.Base(own), Protection: AlwaysNeedsApproval, Why: "it is a part of agent's configuration, API keys or sessions"}
		}
	}
	return File{}
}

func (p ProtectionRules) secret(abs, rel string) File {
	if isPublic(path.Base(fold(rel))) {
		return File{}
	}
	if home := strings.TrimRight(p.Home, "/"); fsutil.Within(abs, home) && len(abs) > len(home) {
		below := fold(filepath.ToSlash(abs[len(home)+1:]))
		for i, name := range foldedHomeSecrets() {
			if fsutil.Within(below, name) {
				return File{Path: rel, Name: homeSecrets[i], Protection: AlwaysNeedsApproval, Why: "it may hold keys, passwords or the text that you typed", Keys: true}
			}
		}
	}
	if e, ok := entryIn(rel, true); ok {
		return File{Path: rel, Name: e.name, Protection: e.care, Why: e.why, Keys: true}
	}
	return File{}
}

// InGit reports whether a path is in a .git folder or names a .git file. It recognizes each
// spelling that a file system treats as .git.
func InGit(rel string) bool {
	return slices.ContainsFunc(strings.Split(fold(rel), "/"), func(name string) bool { return name == ".git" || name == "git~1" })
}

// ContainsHome reports whether a folder is or contains the home folder. Such a folder contains secret
// files, and files that shells run.
func ContainsHome(folder, home string) bool { return fsutil.Within(home, folder) }

// matches reports whether a path component matches a pattern with at most one star.
func matches(pattern, name string) bool {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

// fold returns a path in the form in which the most tolerant file systems compare paths. It is in
// lower case, without invisible characters, and without dots and blanks at the ends of names.
func fold(file string) string {
	if plain(file) {
		return file
	}
	parts := strings.Split(file, "/")
	for i, part := range parts {
		part = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) || unicode.Is(unicode.Variation_Selector, r) {
				return -1
			}
			return unicode.ToLower(r)
		}, part)
		if trimmed := strings.TrimRight(part, ". "); trimmed != "" {
			part = trimmed
		}
		part, _, _ = strings.Cut(part, ":") // Windows names a stream of a file after a colon
		parts[i] = part
	}
	return strings.Join(parts, "/")
}

// plain reports whether fold would return the path unchanged.
func plain(file string) bool {
	for i := range len(file) {
		c := file[i]
		if c >= 0x7f || c <= ' ' || c >= 'A' && c <= 'Z' || c == ':' || c == '.' && (i+1 == len(file) || file[i+1] == '/') {
			return false
		}
	}
	return true
}
