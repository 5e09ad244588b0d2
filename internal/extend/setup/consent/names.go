package consent

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/cmdline"
	"agent/internal/cmdline/files"
	"agent/internal/extend/setup/manifest"
	"agent/internal/extend/setup/template"
)

// The limits of an item's content. An item that exceeds them cannot be approved.
const (
	maxWords    = 500
	maxFiles    = 50
	maxFolders  = 20
	maxFileSize = 64 << 20
)

// projectVariables lists variables with the workspace or the folder of the project as their value.
var projectVariables = []string{"CLAUDE_PROJECT_DIR", "AGENT_PROJECT_DIR", "PWD"}

// files returns the files of the repository that an item names. Names may be relative to the
// workspace, the repository, the item's project or a folder that the item names, as in cd DIR &&
// ./run. undetermined reports whether the item may name further files.
func (s *Store) files(i Item) (found []file, undetermined bool, err error) {
	if !i.runs() {
		return nil, false, nil
	}
	folders := distinct(i.Folder, s.workspace, s.root)
	var words []string
	for grew := true; grew; {
		if words, undetermined, err = s.words(i, folders); err != nil {
			return nil, false, err
		}
		grew = false
		for _, word := range words {
			for _, path := range s.paths(word, folders) {
				if info, err := os.Stat(path); err == nil && info.IsDir() && !slices.Contains(folders, path) {
					folders, grew = append(folders, path), true
				}
			}
			if len(folders) > maxFolders {
				return nil, false, fmt.Errorf("its command refers to more than %d folders", maxFolders)
			}
		}
	}
	for _, word := range words {
		for _, path := range s.paths(word, folders) {
			f, is, err := s.file(path)
			if err != nil {
				return nil, false, err
			}
			if is && !slices.Contains(found, f) {
				found = append(found, f)
			}
		}
	}
	if len(found) > maxFiles {
		return nil, false, fmt.Errorf("its command refers to more than %d files", maxFiles)
	}
	slices.SortFunc(found, func(a, b file) int { return strings.Compare(a.Path, b.Path) })
	return found, undetermined, nil
}

// words returns all words of an item that may name a file if the item runs in one of the folders.
// Additional words do no harm, because names without a file are ignored.
func (s *Store) words(i Item, folders []string) (words []string, undetermined bool, err error) {
	shell := s.shell(i, folders)
	var program, plain []string // the base names and the unchanged words of the program so far
	for _, p := range i.Effects {
		text, sure := p.PathText(), true
		switch p.Role {
		case manifest.RolePlain:
			continue
		case manifest.RoleLine:
			line := cmdline.Read(text)
			if s.onlyReads(line) {
				continue
			}
			var more []string
			more, sure = shell.PossibleWords(line)
			for _, word := range append(more, backslashed(text)...) {
				words = append(words, pieces(word)...)
			}
			if sure {
				text = "" // shell.Line has already split it
			}
		default:
			var more []string
			more, sure = s.word(shell, text, slices.ContainsFunc(program, cmdline.RunsLines))
			words = append(words, more...)
		}
		if p.Role == manifest.RoleWord {
			program = append(program, path.Base(text))
			plain = append(plain, text)
		}
		undetermined = undetermined || !sure || p.Role == manifest.RoleValue && files.IsSearchPathVariable(p.Key)
		words = append(words, pieces(text)...) // additional words are safer than missing ones
	}
	undetermined = undetermined || len(plain) > 0 && files.LoadsCode(plain)
	slices.Sort(words)
	if words = slices.Compact(words); len(words) > maxWords {
		return nil, false, fmt.Errorf("its command has more than %d words", maxWords)
	}
	return words, undetermined, nil
}

// onlyReads reports whether a shell command only reads files of the repository and runs none of
// them.
func (s *Store) onlyReads(line *cmdline.CommandLine) bool {
	parsed, err := line.PlainCommands()
	return err == nil && len(parsed.UnprovenCommands(cmdline.CommandContext{
		Dir: s.workspace, Inside: func(path string) bool { return fsutil.Within(path, s.root) },
		Program:    func(string) bool { return true },
		Repository: func(string) bool { return false }, // git may run programs that the repository configures
	})) == 0
}

// word returns the file names in one argument of a program. No shell has parsed the argument, but
// the program may pass it to a shell. word therefore uses the argument unchanged, and also as a
// shell command. inShell is set if the program is a shell. sure is false if the argument may name
// further files.
func (s *Store) word(shell files.Shell, text string, inShell bool) (words []string, sure bool) {
	sure = true
	for _, value := range shell.Values[projectVariables[0]] {
		plain := text
		for _, name := range projectVariables {
			for _, form := range []string{"${" + name + "}", "$" + name} {
				plain = strings.ReplaceAll(plain, form, value)
			}
		}
		words = append(append(words, plain), pieces(plain)...)
	}
	if files.HasShellSyntax(text) {
		more, all := shell.PossibleWords(cmdline.Read(text))
		for _, word := range more {
			words = append(words, pieces(word)...)
		}
		sure = all || !inShell
	}
	if inShell {
		return words, sure
	}
	for _, piece := range pieces(text) {
		for _, name := range projectVariables {
			piece = strings.ReplaceAll(piece, "${"+name+"}", "")
		}
		before, after, unknown := strings.Cut(piece, "${")
		if _, rest, _ := strings.Cut(after, "}"); unknown && before+rest != "" && !strings.Contains(text, "://") {
			sure = false // the file name depends on the variable
		}
	}
	return words, sure
}

// shell describes the shell that runs the commands of an item.
func (s *Store) shell(i Item, folders []string) files.Shell {
	values := map[string][]string{
		"HOME": {s.home}, "PATH": {""}, "OLDPWD": slices.Clone(folders),
	}
	for _, name := range projectVariables {
		values[name] = distinct(i.Folder, s.workspace, s.root)
	}
	values["PWD"] = slices.Clone(folders)
	for _, p := range i.Effects {
		switch {
		case p.Role != manifest.RoleValue:
		case p.Key == "PWD" || p.Key == "OLDPWD": // a shell resolves globs in these folders
			values[p.Key] = distinct(append(values[p.Key], s.paths(p.PathText(), folders)...)...)
		default:
			values[p.Key] = distinct(append(values[p.Key], p.PathText())...)
		}
	}
	return files.Shell{Folders: folders, Values: values, Root: s.root}
}

// pieces returns the parts of a text that may name a file. It splits the text as programs other
// than shells do.
func pieces(text string) []string {
	parts := append([]string{text}, template.SplitWords(text)...)
	for _, word := range parts {
		if len(word) > 2 && word[0] == '-' && word[1] != '-' {
			parts = append(parts, word[2:]) // make -fFILE
		}
	}
	plain := strings.NewReplacer(`"`, "", `'`, "", `\`, "").Replace(text)
	return append(parts, fields(plain, ":")...)
}

// backslashed returns the words of a text in which backslashes separate folders, as in Windows
// shells. It returns none on other systems.
func backslashed(text string) []string {
	slashed := filepath.ToSlash(text)
	if slashed == text {
		return nil
	}
	return fields(strings.NewReplacer(`"`, "", `'`, "").Replace(slashed), "")
}

// fields splits a text at blanks, punctuation, and the given separators.
func fields(text, separators string) []string {
	separators += " \t\r\n=,;|&()<>`@"
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) })
}

func distinct(texts ...string) []string {
	var all []string
	for _, text := range texts {
		if text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}
