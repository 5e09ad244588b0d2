package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"agent/internal/base/fsutil"
	"agent/internal/base/lazyregexp"
	"agent/internal/base/secret"
	"agent/internal/history"
)

// Prompts is the file of the user's prompts in all sessions, one prompt per line, the oldest first.
type Prompts struct{ Path string }

// Prompt holds the parts of a message, in order. In the file it is a list, or a string if the user typed
// the whole message.
type Prompt []PromptPart

// PromptPart is a part of a prompt.
type PromptPart struct {
	Text string `json:"text"`
	// Source is the source of the text, or "" if the user typed it (D-46).
	Source history.Source `json:"source,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (p Prompt) MarshalJSON() ([]byte, error) {
	if len(p) == 1 && p[0].Source == "" {
		return json.Marshal(p[0].Text)
	}
	return json.Marshal([]PromptPart(p))
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Prompt) UnmarshalJSON(data []byte) error {
	var typed string
	if json.Unmarshal(data, &typed) == nil {
		*p = Prompt{{Text: typed}}
		return nil
	}
	return json.Unmarshal(data, (*[]PromptPart)(p))
}

const (
	keptPrompts = 1000
	// maxPromptFile is the size in bytes from which older prompts are dropped from the file.
	maxPromptFile = 1 << 20
)

// Load returns the newest prompts, oldest first. It skips lines that cannot be read. A missing file is an
// empty history.
func (p Prompts) Load() ([]Prompt, error) {
	data, err := fsutil.Read(p.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("can't read the prompt history: %w", err)
	}
	if len(data) > maxPromptFile {
		return parsePrompts(data), p.shorten()
	}
	return parsePrompts(data), nil
}

// parsePrompts returns the newest prompts of a file.
func parsePrompts(data []byte) (prompts []Prompt) {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxPromptFile)
	for lines.Scan() {
		var prompt Prompt
		if json.Unmarshal(lines.Bytes(), &prompt) == nil {
			prompts = append(prompts, prompt)
		}
	}
	return prompts[max(0, len(prompts)-keptPrompts):]
}

// withoutKeys returns a prompt with a placeholder for each recognized API key.
func (p Prompt) withoutKeys() Prompt {
	clean := slices.Clone(p)
	for i, part := range clean {
		clean[i].Text = secret.Redact(setHeader.ReplaceAllString(part.Text, "${1}"+secret.Placeholder))
	}
	return clean
}

// setHeader matches the command that sets a header, whose value may be an API key of any form.
var setHeader = lazyregexp.New(`(?i)^(\s*/set\s+header\.\S*?[\s=]+)\S.*`)

// Append adds a prompt without the API keys in it, because the file outlives its sessions. Within this
// session the prompt is available unchanged. Append writes the line in a single write, so that concurrent
// programs do not mix their lines.
func (p Prompts) Append(prompt Prompt) error {
	line, err := json.Marshal(prompt.withoutKeys())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.Path), 0o700); err != nil {
		return fmt.Errorf("can't add the prompt to the prompt history: %w", err)
	}
	file, err := fsutil.OpenFile(p.Path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("can't add the prompt to the prompt history: %w", err)
	}
	if isTorn(file) {
		line = append([]byte("\n"), line...)
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

// isTorn reports whether a file ends in the middle of a line, for example because the disk became full. The
// next line must then begin with a line break, or it would be lost too.
func isTorn(file *os.File) bool {
	end, _ := file.Seek(0, io.SeekEnd)
	last := make([]byte, 1)
	_, err := file.ReadAt(last, end-1) // ReadAt fails if the file is empty
	return err == nil && last[0] != '\n'
}

// shorten removes all but the newest prompts from the file.
func (p Prompts) shorten() error {
	err := fsutil.UpdateFile(p.Path, func(data []byte) (kept []byte, err error) {
		for _, prompt := range parsePrompts(data) {
			line, err := json.Marshal(prompt)
			if err != nil {
				return nil, err
			}
			kept = append(append(kept, line...), '\n')
		}
		return kept, nil
	})
	if err != nil {
		return fmt.Errorf("can't shorten the prompt history: %w", err)
	}
	return nil
}
