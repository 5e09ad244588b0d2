package patch

import (
	"bytes"
	"path"

	"agent/internal/text/textfile"
)

// File is one that a patch changes.
type File struct {
	// Path is as the patch has it, cleaned. From is where the file was before a move, empty
	// for none.
	Path, From string
	// Before and After are what the file holds, nil where there is none.
	Before, After []byte
}

// Plan works out what sections make of files, each of what the ones before have made of
// them. Read returns the content of a file by its cleaned path, nil where there is none;
// its error ends the plan. The files come in the order in which the patch names them; one
// that is moved is two, of which the new one names the old. Notes say what was not taken
// literally. Errors of the patch are an *[Error].
func Plan(sections []Section, read func(path string) ([]byte, error)) (files []File, notes []string, err error) {
	p := &planner{read: read, at: map[string]int{}}
	for _, section := range sections {
		if err := p.section(section); err != nil {
			return nil, nil, err
		}
	}
	for _, file := range p.files {
		if (file.Before == nil) != (file.After == nil) || !bytes.Equal(file.Before, file.After) {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return nil, nil, Failed(NoChange, "The files already are what the patch would make of them.")
	}
	return files, p.notes, nil
}

// planner holds what the sections so far have made of files.
type planner struct {
	read  func(path string) ([]byte, error)
	files []File
	at    map[string]int
	notes []string
}

// file is what is known of a file, which is read when it is named first.
func (p *planner) file(name string) (*File, error) {
	name = path.Clean(name)
	at, ok := p.at[name]
	if !ok {
		content, err := p.read(name)
		if err != nil {
			return nil, err
		}
		at = len(p.files)
		p.at[name] = at
		p.files = append(p.files, File{Path: name, Before: content, After: content})
	}
	return &p.files[at], nil
}

func (p *planner) section(s Section) error {
	file, err := p.file(s.Path)
	switch {
	case err != nil:
		return err
	case s.Op == Add:
		file.From = ""
		if file.After == nil {
			file.After = []byte(s.Text)
		} else {
			file.After = textfile.Parse(file.After).Rewritten(s.Text)
		}
		return nil
	case file.After == nil:
		failed := Failed(BadFile, "%s does not exist (line %d of the patch).", s.Path, s.Line)
		failed.Missing = file.Path
		return failed
	case s.Op == Delete:
		file.After, file.From = nil, ""
		return nil
	}
	document := textfile.Parse(file.After)
	applied, err := s.Apply(document.Text)
	if err != nil {
		return err
	}
	p.notes = append(p.notes, applied.Notes...)
	file.After = document.With(applied.Splices...)
	if s.MoveTo == "" || path.Clean(s.MoveTo) == file.Path {
		return nil
	}
	return p.move(s, file.Path)
}

// move moves a file.
func (p *planner) move(s Section, from string) error {
	target, err := p.file(s.MoveTo)
	if err != nil {
		return err
	}
	if target.After != nil {
		return Failed(TargetExists, "The target %s exists; delete it first in the same patch.", s.MoveTo)
	}
	source := &p.files[p.at[from]]
	target.After, target.From, source.After = source.After, from, nil
	return nil
}
