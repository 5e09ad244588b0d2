package patch

import (
	"bytes"
	"path"

	"agent/internal/text/textfile"
)

// File is a file that a patch changes.
type File struct {
	// Path is the cleaned path in the patch.
	Path string
	// From is the path before a move, or empty if the file was not moved.
	From string
	// Before and After are the contents, nil if the file does not exist.
	Before, After []byte
}

// Plan applies sections to files, each to the result of the previous sections. read returns the
// content of a file by its cleaned path, nil for a missing file. If read fails, Plan returns its
// error. files is in the order of the patch. A moved file has two elements, and From of the new one
// is the old path. notes describes the parts of the patch that were not applied literally. An error
// of the patch itself is an *[Error].
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
		return nil, nil, Errorf(NoChange, "The files already have this content.")
	}
	return files, p.notes, nil
}

// planner holds the state of the files after the sections that were applied so far.
type planner struct {
	read  func(path string) ([]byte, error)
	files []File
	at    map[string]int
	notes []string
}

// file returns a file in its current state. It reads the file when it is first named.
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
			file.After = textfile.Parse(file.After).Encode(s.Text)
		}
		return nil
	case file.After == nil:
		failed := Errorf(BadFile, "%s does not exist (line %d of the patch).", s.Path, s.Line)
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
	file.After = document.ApplySplices(applied.Splices...)
	if s.MoveTo == "" || path.Clean(s.MoveTo) == file.Path {
		return nil
	}
	return p.move(s, file.Path)
}

func (p *planner) move(s Section, from string) error {
	target, err := p.file(s.MoveTo)
	if err != nil {
		return err
	}
	if target.After != nil {
		return Errorf(TargetExists, "The target %s exists; delete it first in the same patch.", s.MoveTo)
	}
	source := &p.files[p.at[from]]
	target.After, target.From, source.After = source.After, from, nil
	return nil
}
